import { resolveObjectURL } from 'node:buffer';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type deskEndpoints, EXAMPLES } from '@svc/contract';
import { encodeOutlines } from '@svc/web-app/map/outlines';
import { encodeZipPlaces } from '@svc/web-app/map/zip-places';
import { workbookOf } from '../../../packages/csv-import/test/workbook-file.ts';
import { ROLE_PERMISSIONS } from '../../../packages/domain/src/staff.ts';
import { fakePage, loadAll, page } from '../../../packages/web-app/test/fake-page.ts';
import { ROUTES } from '../src/endpoints.ts';

// The whole desk on a fake page, with a service that responds as the reference says: each test goes on where the one
// before it ended.

type Id = keyof typeof deskEndpoints;
type Asked = Readonly<Record<string, string>>;
type Answer = object | ((query: Asked, body: Asked, id: string) => object);
const answers: Record<string, Answer> = {};
const refusal = (status: number, code: string, detail = '') => ({ refused: status, status, code, detail });

/** The response of an operation in the reference, or the first row of it, with changes. */
const example = (id: Id, changes: object = {}) => {
  const response = Object((EXAMPLES as Record<string, { response?: unknown }>)[id]?.response);
  return { ...(response.data?.[0] ?? response), ...changes };
};
/** Of a list, its first row alone. */
const first = (id: string): object => {
  const { response } = Object((EXAMPLES as Record<string, unknown>)[id]);
  return response?.data === undefined
    ? Object(response)
    : { ...response, data: response.data.slice(0, 1), next_cursor: null };
};
const nulls = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]));
const pageOf = (id: Id, ...rows: readonly object[]) => ({
  ...{ data: rows.map((row) => example(id, row)), next_cursor: null },
});

const OPERATIONS = Object.entries(ROUTES).map(([id, route]) => {
  const [method, path = '', status = ''] = route.split(' ');
  return { id, method, status, path: new RegExp(`^/firm/${path.replace(/\{\w+\}/g, '([^/]+)')}$`) };
});
const files: Record<string, Uint8Array> = {
  'zip-places.bin': encodeZipPlaces([{ zip: 33931, latitude: 26.45, longitude: -81.94 }]),
  'outlines.bin': encodeOutlines({ land: [], states: [], counties: [] }),
};
const sent: string[] = [];
async function fetch(url: string, { method = 'GET', body, headers }: RequestInit = {}): Promise<Response> {
  const file = files[url];
  if (file !== undefined) return new Response(file.slice());
  const { pathname, searchParams } = new URL(url, 'https://claims.example');
  const one = OPERATIONS.find((each) => each.method === method && each.path.test(pathname));
  const { id = `${method} ${pathname}`, status = '200' } = one ?? {};
  const ids = one?.path.exec(pathname)?.slice(1) ?? [];
  sent.push([id, ...ids, decodeURIComponent(String(searchParams)), body].filter(Boolean).join(' '));
  const csv = Object(headers).Accept === 'text/csv' && answers.csv;
  if (csv) return new Response(String(csv), { headers: { 'Content-Type': 'text/csv' } });
  const { [id]: answer = one === undefined ? { data: [], next_cursor: null } : first(id) } = answers;
  const given = await (typeof answer === 'function'
    ? answer(Object.fromEntries(searchParams), JSON.parse(String(body ?? '{}')), String(ids[0]))
    : answer);
  const { refused } = Object(given);
  if (refused === undefined && ['202', '204'].includes(status))
    return new Response(null, { status: Number(status) });
  return Response.json(given, { status: Number(refused ?? status) });
}
page.history.replaceState(null, '', '/firm');
const saved: string[] = [];
jest.spyOn(page.window.HTMLAnchorElement.prototype, 'click').mockImplementation(function (
  this: HTMLAnchorElement,
) {
  const { download, href } = this;
  const file = resolveObjectURL(href);
  void file?.text().then((text) => saved.push(`${download} ${file.type} ${text}`));
});
fakePage({
  ...{ fetch, __APP_VERSION__: '0.1.0' },
  navigator: { languages: ['en-US'], userAgent: 'Linux', onLine: true },
  matchMedia: () => ({ matches: true, addEventListener: () => {} }),
  EventSource: class {
    static OPEN = 1;
    static CLOSED = 2;
    readyState = 1;
    addEventListener(): void {}
    close(): void {}
  },
});

// Nothing is spread over a time.
const random = jest.spyOn(Math, 'random').mockReturnValue(0);
afterAll(() => random.mockRestore());
beforeAll(async () => {
  await loadAll(new URL('../src/', import.meta.url));
  answers.getOwnStaff = { refused: 503 };
  await import('../src/main.tsx');
  await page.wait(1000);
});

const is =
  (parts: readonly unknown[]) =>
  ([expected]: readonly string[]): void =>
    expect(parts.join(' | ')).toBe(expected);

/** The board is read about once a minute also while another screen is shown. */
const isMinutes = (one: string): boolean =>
  /^listBoardClaims environment=\w+&limit=100$/.test(one) && !/^(#\/(\?|claims|$)|$)/.test(location.hash);
/** In the order in which they were sent; when exactly depends on the machine. */
const asks = (expected: TemplateStringsArray): void =>
  is(
    sent
      .splice(0)
      .filter((one) => !isMinutes(one))
      .map((one) => one.replace(/:\d\d\.\d{3}Z/g, 'Z')),
  )(expected);
/** What is at a selector, which comes first. */
const sees = ([expected = '']: TemplateStringsArray): void => {
  const [selector = ''] = expected.split(': ', 1);
  is([`${selector}: ${page.shows(selector).join(' | ')}`])([expected]);
};
/** As `sees`, for whole texts. */
const says = ([expected = '']: TemplateStringsArray): void => {
  const [selector = ''] = expected.split(': ', 1);
  const texts = [...page.document.querySelectorAll(selector)].map((one) => one.textContent.trim());
  is([`${selector}: ${texts.join(' | ').replace(/\s+/g, ' ')}`])([expected]);
};
const saves = (expected: TemplateStringsArray): void => is(saved.splice(0))(expected);
/** What is loaded for it has then been shown, too. */
const then =
  <Given extends readonly unknown[]>(act: (...given: Given) => Promise<void>) =>
  async (...given: Given): Promise<void> => {
    await act(...given);
    await page.wait(1000);
  };
const [press, go, tick] = [then(page.press), then(page.go), then(page.tick)];
const { type, choose } = page;
const key = async (name: string, more: object = {}): Promise<void> => {
  page.happens(page.document.activeElement ?? page.body, 'keydown', { key: name, ...more });
  await page.wait(1000);
};
const select = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) page.happens(page.find(`Select ${name}`), 'click');
  await page.wait(1000);
};

const enter = async () => {
  await type('Your email', 'priya@example.com');
  await press('Email me a code');
  await type('Six-digit code', '123456');
  await press('Sign in');
};
/** The page is looked at again, and reads what has changed since. */
const look = async () => {
  page.happens(page.document, 'visibilitychange');
  await page.wait(5000);
};
const choosesFile = async (file: File) => {
  const input = page.find('CSV file or Excel workbook (.xlsx)');
  page.happens(Object.assign(input, { files: [file] }), 'change');
  await page.wait(1000);
};

test('a start without the service is tried again, and a person of several firms chooses one after the code', async () => {
  sees`body: h1 Firm's desk | p alert The service could not be reached. Check your conne… | button.neutral Try again`;
  answers.getOwnStaff = refusal(401, 'invalid_session');
  await press('Try again');
  const firms = ['Gulf', 'Bayou'].map((name) => ({ id: name.toLowerCase(), name }));
  answers.openSession = { refused: 200, ticket: 't', firms };
  await enter();
  sees`main: img src=/firm/icon.svg alt | h1 Sign in to your firm's desk | h2 Which firm do you work for now? | button.neutral.wide Gulf | button.neutral.wide Bayou`;
  answers.openSession = refusal(403, 'invalid_sign_in');
  await press('Bayou');
  sees`body: img src=/firm/icon.svg alt | h1 Sign in to your firm's desk | form | p We will email you a six-digit code. You do not nee… | input Your email autocomplete=email name=email inputmode=email required type=email | button.primary.wide type=submit Email me a code | div status | p Sign in again: the choice took too long or was made already. | button label=Close`;
  answers.openSession = { expires_at: 'x' };
  const [firm] = firms;
  const permissions = ROLE_PERMISSIONS.admin;
  const key_purposes = { live: ['full_access', 'read_only'], test: [] };
  answers.getOwnStaff = example('getOwnStaff', { firms, firm, permissions, key_purposes });
  await enter();
  asks`getOwnStaff | getOwnStaff | sendSignInCode {"email":"priya@example.com"} | openSession {"email":"priya@example.com","code":"123456"} | openSession {"ticket":"t","firm_id":"bayou"} | sendSignInCode {"email":"priya@example.com"} | openSession {"email":"priya@example.com","code":"123456"} | getOwnStaff | listBoardClaims environment=live&limit=100`;
  sees`.top: select Firm value=gulf | option Gulf | option Bayou | button expanded=false keyshortcuts=? Help | nav label=Main | a #/ current=page Board | a #/adjusters Adjusters | a #/map Map | a #/upload Upload | a #/reports Reports | a #/keys Keys | a #/requests Requests | a #/sandbox Sandbox | a #/webhooks Webhooks | a #/readiness Readiness | a #/audit Audit | a #/people People | a #/settings Settings | legend Data | button.chip pressed Live | button.chip pressed=false Test | p.muted.who Priya NatarajanDispatcher`;
});

const { clocks, updated_at } = example('listBoardClaims');
const AT = '2026-09-01T13:00:00Z';
const row = (id: string, changes: object) => ({
  ...{ id, name: id, status: 'pending_acceptance', waiting_since: AT, closed_at: null, clocks: null },
  ...changes,
});
const late = { ...clocks.first_contact, late: true };

test('the board shows each claim and what is asked for, by the filters and sorts that are chosen', async () => {
  answers.listBoardClaims = {
    ...pageOf(
      'listBoardClaims',
      row('Ann', { late: true }),
      row('Ben', { status: 'rejected', adjuster_svc_id: 'SVC-2', adjuster_name: null, test: true }),
      row('Cal', { status: 'accepted', waiting_since: null, clocks: { ...clocks, first_contact: late } }),
      row('Dee', { status: 'unassigned' }),
      row('Eve', { closed_at: AT, waiting_since: null, clocks: { ...clocks, inspection: late } }),
      row('Fay', {}),
    ),
    counts: { waiting: 10_000, late: 9999, rejected: 0, unassigned: 5 },
  };
  const adjuster = (svc_id: string, changes: object = {}) => ({
    ...nulls('name expires_at rejected_at distance median_answer_seconds'),
    ...{ svc_id, invited_as: svc_id, open_offers: 1, open_claims: 2, warnings: [], ...changes },
  });
  const others = [
    adjuster('SVC-3', { accepting_assignments: false }),
    adjuster('SVC-4', { status: 'pending' }),
  ];
  answers.listBoardAdjusters = ({ for_claim }) => {
    const near = for_claim === 'Ann' && {
      median_answer_seconds: 0,
      distance: 0,
      warnings: ['fcn_category'],
    };
    const zoe = adjuster('SVC-2', { name: 'Zoe', rejected_at: for_claim === undefined ? null : AT });
    return pageOf('listBoardAdjusters', adjuster('SVC-1', { ...near }), zoe, ...others);
  };
  await choose('Show', 'Late contacts');
  sees`h1, .views, .heads, .rows ul: h1 Late contacts | fieldset label=What to look at | button.chip pressed=false Waiting | span.count 10,000+ | button.chip pressed=false Late | span.count 9,999 | button.chip pressed=false Rejected | span.count 0 | input Select all shown type=checkbox label=Select all shown | span.cell status 6 claims shown | button.cell.head.name pressed=false label=Sort by Name Name | button.cell.head.ids pressed=false label=Sort by Claim number Claim number | button.cell.head.carrier pressed=false label=Sort by Carrier Carrier | button.cell.head.adjuster pressed=false label=Sort by Adjuster Adjuster | button.cell.head.state pressed=false label=Sort by Status Status | ul label=Board | div data-late | input Select Ann type=checkbox label=Select Ann | a #/claims/Ann data-id=Ann current=false | span title=Ann, 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.strong Ann | span.line.muted 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.cell.ids title=FL26-0093184 CMS-2026-004417 FL26-0093184 | span.muted.unbroken CMS-2026-004417 | span.cell.carrier title=Palmetto Mutual Insurance Palmetto Mutual Insurance | span.cell.adjuster title=SVC-7F3K-Delacroix Jean Delacroix | span.pill.error Offered · Late | span.line.muted Waits 2 h | div data-late=false | input Select Ben type=checkbox label=Select Ben | a #/claims/Ben data-id=Ben current=false | span title=Ben, 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.strong Ben | span.badge Test | span.line.muted 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.cell.ids title=FL26-0093184 CMS-2026-004417 FL26-0093184 | span.muted.unbroken CMS-2026-004417 | span.cell.carrier title=Palmetto Mutual Insurance Palmetto Mutual Insurance | span.cell.adjuster title=SVC-2 SVC-2 | span.pill.error Rejected | span.line.muted Waits 2 h | div data-late | input Select Cal type=checkbox label=Select Cal | a #/claims/Cal data-id=Cal current=false | span title=Cal, 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.strong Cal | span.line.muted 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.cell.ids title=FL26-0093184 CMS-2026-004417 FL26-0093184 | span.muted.unbroken CMS-2026-004417 | span.cell.carrier title=Palmetto Mutual Insurance Palmetto Mutual Insurance | span.cell.adjuster title=SVC-7F3K-Delacroix Jean Delacroix | span.pill.error Accepted · Late | div data-late=false | input Select Dee type=checkbox label=Select Dee | a #/claims/Dee data-id=Dee current=false | span title=Dee, 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.strong Dee | span.line.muted 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.cell.ids title=FL26-0093184 CMS-2026-004417 FL26-0093184 | span.muted.unbroken CMS-2026-004417 | span.cell.carrier title=Palmetto Mutual Insurance Palmetto Mutual Insurance | span.cell.adjuster title=SVC-7F3K-Delacroix Jean Delacroix | span.pill.error Unassigned | span.line.muted Waits 2 h | div data-late | input Select Eve type=checkbox label=Select Eve disabled | a #/claims/Eve data-id=Eve current=false | span title=Eve, 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.strong Eve | span.line.muted 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.cell.ids title=FL26-0093184 CMS-2026-004417 FL26-0093184 | span.muted.unbroken CMS-2026-004417 | span.cell.carrier title=Palmetto Mutual Insurance Palmetto Mutual Insurance | span.cell.adjuster title=SVC-7F3K-Delacroix Jean Delacroix | span.pill.error Closed · Late | div data-late=false | input Select Fay type=checkbox label=Select Fay | a #/claims/Fay data-id=Fay current=false | span title=Fay, 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.strong Fay | span.line.muted 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | span.cell.ids title=FL26-0093184 CMS-2026-004417 FL26-0093184 | span.muted.unbroken CMS-2026-004417 | span.cell.carrier title=Palmetto Mutual Insurance Palmetto Mutual Insurance | span.cell.adjuster title=SVC-7F3K-Delacroix Jean Delacroix | span.pill.warning Offered | span.line.muted Waits 2 h`;
  Object.assign(page.document.querySelector('details') ?? {}, { open: true });
  await choose('Adjuster', 'Any');
  await choose('Adjuster', 'Zoe · SVC-2');
  await type('Carrier', 'Gulf');
  await choose('State', 'FL');
  await type('Search', 'a');
  await choose('Sort', 'Adjuster');
  const lists = ['Show', 'Adjuster', 'Sort'].flatMap((label) => page.outline(page.find(label, 'select')));
  is(
    lists,
  )`select Show value=clock_late | option Waiting | option Late | option Late contacts | option Offered | option Rejected | option Unassigned | option Accepted | option Closed | select Adjuster value=SVC-2 | option Any | option SVC-1 · SVC-1 | option SVC-3 · SVC-3 | option Zoe · SVC-2 | select Sort value=adjuster | option As they wait | option Name | option Claim number | option Carrier | option Adjuster | option Status`;
  sees`[aria-pressed=true], .board-row .strong: button.chip pressed Live | button.cell.head.adjuster pressed label=Sort by Adjuster Adjuster | span ↑ | span.strong Ann | span.strong Cal | span.strong Dee | span.strong Eve | span.strong Fay | span.strong Ben`;
  expect(location.hash).toBe('#/?view=clock_late&state=FL&carrier=Gulf');
  asks`listBoardClaims environment=live&clock_late=true&limit=100 | listBoardAdjusters environment=live&limit=200 | listBoardClaims environment=live&clock_late=true&limit=100 | listBoardClaims environment=live&clock_late=true&adjuster=SVC-2&limit=100 | listBoardClaims environment=live&clock_late=true&carrier=Gulf&adjuster=SVC-2&limit=100 | listBoardClaims environment=live&clock_late=true&state=FL&carrier=Gulf&adjuster=SVC-2&limit=100 | listBoardClaims environment=live&clock_late=true&state=FL&carrier=Gulf&adjuster=SVC-2&q=a&limit=100`;
  await press('Clear filters');
  for (let presses = 0; presses < 2; presses += 1) await press('Sort by Adjuster');
  await press(/^Waiting/);
  asks`listBoardClaims environment=live&clock_late=true&limit=100 | listBoardClaims environment=live&limit=100 | listBoardClaims environment=live&limit=100`;
  const course: string[] = [];
  page.body.focus();
  const keys = async (...names: readonly string[]) => {
    for (const name of names) {
      await key(name);
      const { activeElement } = page.document;
      course.push(`${name} ${activeElement?.getAttribute('data-id')} ${page.shows('dialog h2')}`);
    }
  };
  await keys('ArrowDown', 'j', 'ArrowDown', 'J', 'k', 'w', 'o', 'k');
  sees`dialog: dialog open | h2 Offer this claim | form | li Ben · FL26-0093184 | p status | input Name or SVCID name=find | select Sort value=work | option Least work | option Nearest | option Fastest to answer | option Name | legend Adjuster | input SVC-1 SVC-1 1 open offer, 2 open claims type=radio name=adjuster | span SVC-1 | span.strong SVC-1 | span.line.muted 1 open offer, 2 open claims | input SVC-3 SVC-3 Takes no offers type=radio name=adjuster | span SVC-3 | span.strong SVC-3 | span.line.muted Takes no offers | input Zoe SVC-2 Rejected it Sep 1, 2026, 8:00 AM1 open offer, 2 open claims type=radio name=adjuster | span SVC-2 | span.strong Zoe | span.pill.error Rejected it Sep 1, 2026, 8:00 AM | span.line.muted 1 open offer, 2 open claims | button.primary type=submit disabled Offer | button.neutral Cancel | div alert`;
  await press('Cancel');
  await keys('ArrowUp', 'k');
  for (const held of ['ctrlKey', 'altKey', 'metaKey']) await key('o', { [held]: true });
  is([
    ...course,
    ...page.shows('dialog'),
  ])`ArrowDown null  | j Ann  | ArrowDown Ben  | J Cal  | k Ben  | w Ben  | o Ben h2 Offer this claim | k Ben h2 Offer this claim | ArrowUp Ann  | k Ann `;
});

test('an offer is for the row with the focus, says who could take it, and what became of it', async () => {
  await key('o');
  sees`dialog: dialog open | h2 Offer this claim | form | li Ann · FL26-0093184 | p status It is offered to another adjuster now; that offer ends. | input Name or SVCID name=find | select Sort value=work | option Least work | option Nearest | option Fastest to answer | option Name | legend Adjuster | input SVC-1 SVC-1 FCN without this category1 open offer, 2 open claims · answers in under 1 min · about 0 mi type=radio name=adjuster | span SVC-1 | span.strong SVC-1 | span.pill.warning FCN without this category | span.line.muted 1 open offer, 2 open claims · answers in under 1 m… | input SVC-3 SVC-3 Takes no offers type=radio name=adjuster | span SVC-3 | span.strong SVC-3 | span.line.muted Takes no offers | input Zoe SVC-2 Rejected it Sep 1, 2026, 8:00 AM1 open offer, 2 open claims type=radio name=adjuster | span SVC-2 | span.strong Zoe | span.pill.error Rejected it Sep 1, 2026, 8:00 AM | span.line.muted 1 open offer, 2 open claims | button.primary type=submit disabled Offer | button.neutral Cancel | div alert`;
  await tick(/^Zoe/);
  sees`dialog p, dialog button: p status It is offered to another adjuster now; that offer ends. | button.primary type=submit Offer to Zoe | button.neutral Cancel`;
  await type('Name or SVCID', 'svc-1');
  await choose('Sort', 'Nearest');
  await tick(/^SVC-1/);
  sees`dialog: dialog open | h2 Offer this claim | form | li Ann · FL26-0093184 | p status It is offered to another adjuster now; that offer ends. | input Name or SVCID value=svc-1 name=find | select Sort value=distance | option Least work | option Nearest | option Fastest to answer | option Name | legend Adjuster | input SVC-1 SVC-1 FCN without this category1 open offer, 2 open claims · answers in under 1 min · about 0 mi type=radio name=adjuster checked | span SVC-1 | span.strong SVC-1 | span.pill.warning FCN without this category | span.line.muted 1 open offer, 2 open claims · answers in under 1 m… | button.primary type=submit Offer to SVC-1 | button.neutral Cancel | div alert`;
  answers.offerBoardClaim = (_, assignment, id) => ({ id, external_id: id, assignment });
  await press('Offer to SVC-1');
  expect(page.document.activeElement?.getAttribute('data-id')).toBe('Ann');
  asks`listBoardAdjusters environment=test&limit=200&for_claim=Ben | listBoardAdjusters environment=live&limit=200 | listBoardAdjusters environment=live&limit=200&for_claim=Ann | listBoardAdjusters environment=live&limit=200 | offerBoardClaim Ann environment=live {"adjuster_svc_id":"SVC-1","updated_at":"2026-08-29T14:52Z"} | listBoardClaims environment=live&limit=100`;
  sees`.offer-results, .selection, .toast: li data-state=done | a #/claims/Ann Ann · FL26-0093184 | span Offered to SVC-1 | button.neutral Hide what you did | p 1 of 1 offered to SVC-1 | button label=Close`;
  await press('Hide what you did');
});

test('a selection is closed for a reason, withdrawn and offered again, and spread as it was shown', async () => {
  await select('Ann', 'Cal', 'Fay');
  sees`.selection, .heads input, .heads span: input Select all shown type=checkbox label=Select all shown indeterminate | span.cell status 6 claims shown, 3 selected | button.primary Offer 2 | button.neutral Withdraw 2 | button.neutral Close 3 claims | button.neutral Spread 2 claims | button.neutral Clear selection`;
  await press('Close 3 claims');
  sees`dialog: dialog open | h2 Close 3 claims? | form | li Ann · FL26-0093184 | li Cal · FL26-0093184 | li Fay · FL26-0093184 | p Its claim number is then free. A closed claim cann… | p 2 pending offers are withdrawn first. | p 1 of them has been accepted: the adjuster sees it … | input Reason, for your firm only name=reason maxlength=1000 | button.danger type=submit Close 3 claims | button.neutral Cancel | div alert`;
  await type('Reason, for your firm only', ' Twice. ');
  // Those with which nothing was done come first.
  answers.closeBoardClaim = (_, __, id) =>
    id === 'Cal' ? refusal(409, 'claim_closed') : { id, external_id: id };
  await press('Close 3 claims');
  sees`.offer-results: li data-state=refused | a #/claims/Cal Cal · FL26-0093184 | span The claim is closed. | li data-state=done | a #/claims/Ann Ann · FL26-0093184 | span Closed | li data-state=done | a #/claims/Fay Fay · FL26-0093184 | span Closed`;
  await press('Hide what you did');
  await select('Ann', 'Ben');
  await press('Withdraw 1');
  sees`dialog: dialog open | h2 Withdraw this offer? | form | li Ann · FL26-0093184 | p The adjuster's app drops it at once and says that … | button.danger type=submit Withdraw | button.neutral Cancel | div alert`;
  answers.withdrawBoardOffer = { refused: 503 };
  await press('Withdraw');
  sees`.offer-results, .selection, .network: div status | li data-state=unknown | a #/claims/Ann Ann · FL26-0093184 | span No response. Try again: it cannot be done twice. | button.primary Try again | button.neutral Hide what you did`;
  const assignment = { status: 'unassigned' };
  answers.withdrawBoardOffer = { id: 'Ann', external_id: 'x', assignment, updated_at };
  await press('Try again');
  await press('Undo: offer again to the same adjusters');
  sees`.offer-results, .selection, .network: div status | li data-state=done | a #/claims/Ann Ann · FL26-0093184 | span Offered to Jean Delacroix | button.neutral Hide what you did`;
  asks`listBoardClaims environment=live&limit=100 | closeBoardClaim Ann {"updated_at":"2026-08-29T14:52Z","reason":"Twice."} | closeBoardClaim Cal {"updated_at":"2026-08-29T14:52Z","reason":"Twice."} | closeBoardClaim Fay {"updated_at":"2026-08-29T14:52Z","reason":"Twice."} | listBoardClaims environment=live&limit=100 | withdrawBoardOffer Ann {"updated_at":"2026-08-29T14:52Z"} | listBoardClaims environment=live&limit=100 | withdrawBoardOffer Ann {"updated_at":"2026-08-29T14:52Z"} | listBoardClaims environment=live&limit=100 | offerBoardClaim Ann environment=live {"adjuster_svc_id":"SVC-7F3K-Delacroix","updated_at":"2026-08-29T14:52Z"} | listBoardClaims environment=live&limit=100`;
  await press('Hide what you did');
  await select('Ann', 'Ben');
  await press('Spread 2 claims');
  await tick(/^Zoe/);
  await tick(/^SVC-1/);
  const offers = [
    { id: 'Ann', adjuster_svc_id: 'SVC-2', distance: 38, warnings: [] },
    { id: 'Ben', adjuster_svc_id: 'SVC-2', distance: 0, warnings: ['limit_reached'] },
  ];
  // A plan that arrives after the dialog was closed does not open it again.
  let arrive = (_: object): void => {};
  answers.spreadClaims = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  await press('Show who gets which');
  await press('Cancel');
  arrive({ offers });
  await page.wait(1000);
  sees`dialog: `;
  answers.spreadClaims = { offers };
  await press('Spread 2 claims');
  for (const one of [/^Zoe/, /^SVC-1/]) await tick(one);
  await press('Show who gets which');
  sees`dialog: dialog open | h2 Spread 2 claims | form | p As many for each, and then the nearest. You see wh… | div status | details | summary Zoe: 2 claims · up to about 38 mi | span.pill.warning Has all the offers they want | li Ann · FL26-0093184 · about 38 mi | li Ben · FL26-0093184 · about 0 mi | span.pill.warning Has all the offers they want | span.pill.error Rejected it | input Name or SVCID name=find | legend Adjuster | p.muted status 2 of at most 50 chosen | input SVC-1 SVC-1 1 open offer, 2 open claims type=checkbox name=adjuster checked | span SVC-1 | span.strong SVC-1 | span.line.muted 1 open offer, 2 open claims | input Zoe SVC-2 1 open offer, 2 open claims type=checkbox name=adjuster checked | span SVC-2 | span.strong Zoe | span.line.muted 1 open offer, 2 open claims | button.primary type=submit Offer 2 claims | button.neutral Cancel | div alert`;
  says`dialog summary, dialog details li: Zoe: 2 claims · up to about 38 mi Has all the offers they want | Ann · FL26-0093184 · about 38 mi | Ben · FL26-0093184 · about 0 mi Has all the offers they wantRejected it`;
  await tick(/^SVC-1/);
  sees`dialog button: button.primary type=submit Show who gets which | button.neutral Cancel`;
  await press('Show who gets which');
  await press('Offer 2 claims');
  sees`.offer-results: li data-state=done | a #/claims/Ann Ann · FL26-0093184 | span Offered to Zoe | li data-state=done | a #/claims/Ben Ben · FL26-0093184 | span Offered to Zoe`;
  asks`listBoardAdjusters environment=live&limit=200 | spreadClaims environment=live {"adjusters":[{"svc_id":"SVC-2","given":0},{"svc_id":"SVC-1","given":0}],"claims":[{"id":"Ann","zip":"33931","state":"FL","form_type":"dwelling"},{"id":"Ben","zip":"33931","state":"FL","rejected_by":"SVC-2","form_type":"dwelling"}]} | listBoardAdjusters environment=live&limit=200 | listBoardClaims environment=live&limit=100 | spreadClaims environment=live {"adjusters":[{"svc_id":"SVC-2","given":0},{"svc_id":"SVC-1","given":0}],"claims":[{"id":"Ann","zip":"33931","state":"FL","form_type":"dwelling"},{"id":"Ben","zip":"33931","state":"FL","rejected_by":"SVC-2","form_type":"dwelling"}]} | spreadClaims environment=live {"adjusters":[{"svc_id":"SVC-2","given":0}],"claims":[{"id":"Ann","zip":"33931","state":"FL","form_type":"dwelling"},{"id":"Ben","zip":"33931","state":"FL","rejected_by":"SVC-2","form_type":"dwelling"}]} | offerBoardClaim Ann environment=live {"adjuster_svc_id":"SVC-2","updated_at":"2026-08-29T14:52Z"} | offerBoardClaim Ben environment=test {"adjuster_svc_id":"SVC-2","updated_at":"2026-08-29T14:52Z"} | listBoardClaims environment=live&limit=100`;
  await press('Hide what you did');
});

test('a claim shows every field, who closed it, the course of each of its offers, its clocks and its receipt', async () => {
  const details = example('getBoardClaim');
  const { claim } = details;
  const building = { ...claim.building, basement: false, flood_openings: ['front_wall', 'b'], units: 3 };
  const agent = { email: 'a b@x.test', phone: '239-555-0199' };
  const nothing = { ...nulls('seen_at reminded_at responded_at ended_at rejection_reason'), pushes: [] };
  const by = { type: 'key', id: 'k1', name: null };
  const mail = { channel: 'mail', outcome: 'retried', at: AT };
  const pushes = [mail, { channel: 'fax', outcome: 'lost', at: AT }];
  const withdrawn = { outcome: 'withdrawn', withdrawn_by: { ...by, type: 'staff' }, ended_at: AT, pushes };
  const history = [
    { ...nothing, outcome: 'pending', adjuster_name: null, offered_by: by },
    ...[{ ...nothing, ...withdrawn }, { reminded_at: null }],
  ].map((changes) => ({ ...details.history[0], ...changes }));
  const inspection = { at: null, device_at: null, date: '2026-09-02', due_at: null, late: true };
  const course = { history, clocks: { ...details.clocks, inspection } };
  answers.getBoardClaim = { ...details, claim: { ...claim, building, agent }, ...course };
  await go(`#/claims/${claim.id}`);
  sees`.split-claim: a #/ | span Back | h1 Marisol Delgado | span.pill.neutral Closed | a tel:+12395550142 Call 239-555-0142 | button.neutral Print | h2 Offers | span.strong SVC-7F3K-Delacroix | span.pill.warning Waiting for an answer | span.muted Offered | time datetime=2026-08-29T14:52:07.113Z Aug 29, 2026, 9:52 AM | p API key k1 | span.muted Offered by | p.muted No notification yet | p.muted Not seen | span.strong Jean Delacroix | span.pill.neutral Withdrawn | span.muted Offered | time datetime=2026-08-29T14:52:07.113Z Aug 29, 2026, 9:52 AM | span.muted Ended | time datetime=2026-09-01T13:00:00Z Sep 1, 2026, 8:00 AM | p Priya Nair | span.muted Offered by | p a person who was removed | span.muted Withdrawn by | p will be tried again, Sep 1, 2026, 8:00 AM | span.muted Email | p lost, Sep 1, 2026, 8:00 AM | span.muted fax | span.strong Jean Delacroix | span.pill.error Rejected | span.muted Offered | time datetime=2026-08-29T14:52:07.113Z Aug 29, 2026, 9:52 AM | span.muted Seen | time datetime=2026-08-29T14:53:40.001Z Aug 29, 2026, 9:53 AM | span.muted Answered | time datetime=2026-08-29T15:04:11.208Z Aug 29, 2026, 10:04 AM | p Priya Nair | span.muted Offered by | p delivered to its service, Aug 29, 2026, 9:52 AM | span.muted Device | p Too far from my other files. | span.muted Reason | h2 Clocks | dt First contact | span.line Aug 30, 2026, 10:05 AM on the device | span.line received Aug 30, 2026, 10:20 AM | span.line Aug 30, 2026, without a time | span.line.muted due Aug 30, 2026, 10:04 AM | dt Inspection | span.pill.error Late | span.line Sep 2, 2026, without a time | span.line.muted counts from the first contact | dt Report due | dd Sep 13, 2026, 10:04 AM | h2 Claim | dt Claim number | dd FL26-0093184 | dt External id | dd CMS-2026-004417 | dt Insured property | dd 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | dt Carrier | dd Palmetto Mutual Insurance | dt Sent | dd Aug 29, 2026, 9:52 AM | dt Closed | dd Sep 12, 2026, 3:00 PM | dt Closed by | dd Priya Nair | dt Reason | dd The policyholder has withdrawn the claim. | h2 Loss | dt Date | dd Aug 27, 2026 | dt Peril | span.preformatted flood | h2 Policy | dt Number | span.preformatted 87-4410029316-2025 | dt Effective date | dd Mar 14, 2026 | dt Expiration date | dd Mar 14, 2027 | h2 Carrier | dt Name | span.preformatted Palmetto Mutual Insurance | dt Phone | a tel:+18135550100 813-555-0100 | h2 Loss location | dt Street | span.preformatted 1420 Seagrape Lane | dt City | span.preformatted Fort Myers Beach | dt State | span.preformatted FL | dt ZIP code | span.preformatted 33931 | h2 Policyholder | dt First name | span.preformatted Marisol | dt Last name | span.preformatted Delgado | dt Phone | a tel:+12395550142 239-555-0142 | h2 Agent | dt Email | a mailto:a%20b@x.test a b@x.test | dt Phone | a tel:+12395550199 239-555-0199 | h2 Mortgagee | dt Company name | span.preformatted First Coast Mortgage | dt Loan number | span.preformatted 0048812237 | h2 Building | dt Occupancy | span.preformatted single family home | dt Type | span.preformatted main dwelling | dt Flood zone | span.preformatted AE | dt Basement | dd No | dt Flood openings | dd front wall, b | dt Units | dd 3 | h2 Coverages | dt Building limit | dd $250,000.00 | dt Contents limit | dd $100,000.00 | dt Building deductible | dd $2,000.00 | h2 Estimate | dt Contents tax rate | dd 0.065 | dt Price list | span.preformatted FLFM8X_AUG26 | h2 Other fields | dt File number | span.preformatted FN-88213 | dt Instructions | span.preformatted Gate code 4471. Call the tenant before you come. | dt Reported on | dd Aug 28, 2026 | dt Contacted on | dd Aug 28, 2026 | dt Inspected on | dd Sep 1, 2026 | dt Additional contacts, 1, first name | span.preformatted Ray | dt Additional contacts, 1, last name | span.preformatted Okafor | dt Additional contacts, 1, phone | a tel:+12395550121 239-555-0121 | dt Additional contacts, 1, role | span.preformatted Tenant | h2 Receipt | p.muted The signed course of the latest offer. Anybody can… | button.neutral Show the receipt | button.neutral Save the receipt`;
  says`.split-claim dd: Aug 30, 2026, 10:05 AM on the devicereceived Aug 30, 2026, 10:20 AMAug 30, 2026, without a timedue Aug 30, 2026, 10:04 AM | Late Sep 2, 2026, without a timecounts from the first contact | Sep 13, 2026, 10:04 AM | FL26-0093184 | CMS-2026-004417 | 1420 Seagrape Lane, Fort Myers Beach, FL 33931 | Palmetto Mutual Insurance | Aug 29, 2026, 9:52 AM | Sep 12, 2026, 3:00 PM | Priya Nair | The policyholder has withdrawn the claim. | Aug 27, 2026 | flood | 87-4410029316-2025 | Mar 14, 2026 | Mar 14, 2027 | Palmetto Mutual Insurance | 813-555-0100 | 1420 Seagrape Lane | Fort Myers Beach | FL | 33931 | Marisol | Delgado | 239-555-0142 | a b@x.test | 239-555-0199 | First Coast Mortgage | 0048812237 | single family home | main dwelling | AE | No | front wall, b | 3 | $250,000.00 | $100,000.00 | $2,000.00 | 0.065 | FLFM8X_AUG26 | FN-88213 | Gate code 4471. Call the tenant before you come. | Aug 28, 2026 | Aug 28, 2026 | Sep 1, 2026 | Ray | Okafor | 239-555-0121 | Tenant`;
  answers.getBoardReceipt = { receipt: 'a.b.c' };
  await press('Show the receipt');
  sees`.receipt: h2 Receipt | p.muted The signed course of the latest offer. Anybody can… | code.secret a.b.c | button.primary Copy | button.neutral Save the receipt`;
  await press('Save the receipt');
  expect(saved.splice(0)).toEqual([`receipt-${claim.id}.jws application/jose a.b.c`]);
  const assignment = { ...claim.assignment, status: 'pending_acceptance' };
  answers.getBoardClaim = {
    ...{ ...details, closed_at: null, closed_by: null, closure_reason: null, late: true, clocks: null },
    ...{ waiting_since: '2026-09-01T14:00:00Z', claim: { ...claim, id: 'other', test: true, assignment } },
  };
  await go('#/claims/other');
  sees`.split-claim .screen-header, .split-claim .row, .top [aria-pressed=true], .top [aria-current=page]: a #/ current=page Board | button.chip pressed Test | a #/ | span Back | h1 Marisol Delgado | span.pill.error Offered · Late | span.badge Test | span.line.muted Waits 1 h 1 min | span.pill.error Offered · Late | span.badge Test | span.line.muted Waits 1 h 1 min | button.primary Offer | button.neutral Withdraw | button.neutral Close the claim | a tel:+12395550142 Call 239-555-0142 | button.neutral Print | button.neutral Show the receipt | button.neutral Save the receipt`;
  const taken = { ...claim, id: 'other', test: true, assignment: { ...assignment, status: 'accepted' } };
  answers.getBoardClaim = {
    ...Object(answers.getBoardClaim),
    claim: taken,
    history: [{ ...details.history[0], outcome: 'accepted' }],
  };
  await look();
  const clocks = () =>
    [...page.document.querySelectorAll('.split-claim dd')].slice(0, 3).map(({ textContent }) => textContent);
  sees`.split-claim p.muted: p.muted Not shared: the adjuster decides whether your firm… | p.muted The signed course of the latest offer. Anybody can…`;
  const soon = { at: null, device_at: null, date: null, due_at: AT, late: false };
  const open = { ...details.clocks, first_contact: soon, inspection: { ...soon, late: true } };
  answers.getBoardClaim = { ...Object(answers.getBoardClaim), clocks: open };
  await press('Show the receipt');
  await look();
  is(
    clocks(),
  )` not yetdue Sep 1, 2026, 8:00 AM | Late not yetdue Sep 1, 2026, 8:00 AM | Sep 13, 2026, 10:04 AM`;
  // It is of the course until then.
  const ended = { ...details.history[0], outcome: 'withdrawn' };
  answers.getBoardClaim = { ...Object(answers.getBoardClaim), history: [ended] };
  sees`.receipt code, .receipt button: code.secret a.b.c | button.primary Copy | button.neutral Save the receipt`;
  await look();
  sees`.receipt code, .receipt button: button.neutral Show the receipt | button.neutral Save the receipt`;
  answers.getBoardClaim = {
    ...Object(answers.getBoardClaim),
    claim: { ...claim, id: 'other', test: true, assignment },
  };
  await look();
  await press('Close the claim');
  sees`dialog: dialog open | h2 Close this claim? | form | li Marisol Delgado · FL26-0093184 | p Its claim number is then free. A closed claim cann… | p 1 pending offer is withdrawn first. | input Reason, for your firm only name=reason maxlength=1000 | button.danger type=submit Close the claim | button.neutral Cancel | div alert`;
  await press('Cancel');
  answers.getBoardClaim = refusal(404, 'not_found');
  await go('#/claims/gone');
  sees`.split-claim: a #/ | span Back | h1 Claim | div.note-body This claim does not exist in your firm.`;
  await press('Live');
  asks`getBoardClaim 0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10 | getBoardReceipt 0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10 | getBoardReceipt 0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10 | getBoardClaim other | listBoardClaims environment=test&limit=100 | listBoardClaims environment=test&limit=100 | getBoardClaim other | getBoardReceipt other | listBoardClaims environment=test&limit=100 | getBoardClaim other | listBoardClaims environment=test&limit=100 | getBoardClaim other | listBoardClaims environment=test&limit=100 | getBoardClaim other | getBoardClaim gone | listBoardClaims environment=live&limit=100`;
  expect(location.hash).toBe('#/');
});

test('adjusters say what they can take, are invited one by one or as a list, and have their credentials read', async () => {
  const one = (svc_id: string, changes: object) => ({
    ...nulls('email expires_at seen_at reminded_at'),
    ...{ svc_id, name: svc_id, shares_credentials: false, ...changes },
  });
  const invited = { status: 'pending', expires_at: AT };
  answers.listBoardAdjusters = pageOf(
    'listBoardAdjusters',
    ...[one('Invited', invited), one('Opened', { ...invited, seen_at: AT })],
    ...[one('Reminded', { ...invited, reminded_at: AT }), one('Declined', { status: 'declined' })],
    ...[one('Paused', { accepting_assignments: false }), one('Barred', { can_accept_claims: false })],
    one('Free', { shares_credentials: true, median_answer_seconds: null, open_claims: 0, email: 'f@x.test' }),
  );
  await go('#/adjusters');
  sees`main: h1 Adjusters | input Name or SVCID name=find | button.primary Invite an adjuster | button.neutral Invite many | ul label=Adjusters | span.strong Free | span.line.muted Free | span.line.muted f@x.test | span.pill.success Active | span.cell 3 open offers, 0 open claims | span.line.muted Median time to answer: – | button.neutral label=Credentials of Free Credentials | span.strong Paused | span.line.muted Paused | span.pill.warning Paused | span.cell 3 open offers, 41 open claims | span.line.muted Median time to answer: 12 min | span.strong Barred | span.line.muted Barred | span.pill.error May not accept claims | span.cell 3 open offers, 41 open claims | span.line.muted Median time to answer: 12 min | span.strong Invited | span.line.muted Invited | span.pill.neutral Invited | span.line.muted Expires Sep 1, 2026, 8:00 AM | span.line.muted Not opened yet | button.neutral label=Withdraw the invitation of Invited? Withdraw | span.strong Opened | span.line.muted Opened | span.pill.neutral Invited | span.line.muted Expires Sep 1, 2026, 8:00 AM | span.line.muted Opened Sep 1, 2026, 8:00 AM | button.neutral label=Withdraw the invitation of Opened? Withdraw | span.strong Reminded | span.line.muted Reminded | span.pill.neutral Invited | span.line.muted Expires Sep 1, 2026, 8:00 AM | span.line.muted Not opened, reminded Sep 1, 2026, 8:00 AM | button.neutral label=Withdraw the invitation of Reminded? Withdraw | span.strong Declined | span.line.muted Declined | span.pill.neutral Declined`;
  await press('Credentials of Free');
  sees`dialog: dialog open | h2 Credentials of Free | p.muted As the adjuster entered them; nobody has checked t… | dt FCN 0070012345 | dd residential, manufactured home, until Dec 31, 2027 | dt FL W482913 | dd non-resident, until Apr 30, 2027 | button.neutral Close | div alert`;
  await press('Close');
  answers.getSharedCredentials = { licenses: [] };
  await press('Credentials of Free');
  sees`dialog: dialog open | h2 Credentials of Free | p.muted As the adjuster entered them; nobody has checked t… | p The adjuster shares credentials and has entered none yet. | button.neutral Close | div alert`;
  await press('Close');
  answers.getSharedCredentials = refusal(404, 'not_found');
  await press('Credentials of Free');
  sees`dialog, .toast: p It no longer exists. | button label=Close`;
  asks`listBoardAdjusters environment=live&limit=200 | getSharedCredentials Free | getSharedCredentials Free | listBoardAdjusters environment=live&limit=200 | getSharedCredentials Free`;
  await press('Invite an adjuster');
  await type('SVCID', ' SVC-9 ');
  await type('Purpose', 'Storm');
  answers.inviteBoardAdjuster = refusal(409, 'already_member');
  await press('Send invitation');
  sees`dialog: dialog open | h2 Invite an adjuster | form | input SVCID value= SVC-9  name=svc-id required | input Your name for the adjuster name=invited_as maxlength=200 | input Purpose value=Storm name=purpose maxlength=500 | button.primary type=submit Send invitation | button.neutral Cancel | div alert | p This adjuster is a member already. | button label=Close`;
  delete answers.inviteBoardAdjuster;
  await press('Send invitation');
  await press('Withdraw the invitation of Opened?');
  sees`dialog, .toast: dialog open | h2 Withdraw the invitation of Opened? | form | button.danger type=submit Withdraw | button.neutral Cancel | div alert`;
  await press('Withdraw');
  asks`inviteBoardAdjuster environment=live {"svc_id":"SVC-9","purpose":"Storm"} | listBoardAdjusters environment=live&limit=200 | inviteBoardAdjuster environment=live {"svc_id":"SVC-9","purpose":"Storm"} | listBoardAdjusters environment=live&limit=200 | withdrawBoardInvitation Opened environment=live | listBoardAdjusters environment=live&limit=200`;
  await press('Invite many');
  await type('SVCIDs, one in a line', 'Name\tSVCID\nAna\tSVC-1\nBob\tb@x.test\nCy\tSVC-3');
  sees`dialog: dialog open | h2 Invite many | form | p.muted Paste the column of SVCIDs of a spreadsheet, or ch… | textarea SVCIDs, one in a line value=Name\tSVCID\nAna\tSVC-1\nBob\tb@x.test\nCy\tSVC-3 rows=8 maxlength=500000 | input CSV file or Excel workbook (.xlsx) type=file | p status 3 SVCIDs Left out: Name | button.primary type=submit Send 3 invitations | button.neutral Cancel | div alert`;
  answers.inviteBoardAdjusters = { refused: 503 };
  await press('Send 3 invitations');
  sees`dialog: dialog open | h2 Invite many | p status | span.strong Stopped | span.line 0 of 3 rows. | progress max=3 label=Stopped | button.primary Resume | button.neutral Close | div alert | p Something went wrong. Try again in a moment. | button label=Close`;
  const outcomes = ['invited', 'unknown_osaid', 'already_member'].map((outcome) => ({ outcome }));
  answers.inviteBoardAdjusters = { results: outcomes };
  await press('Resume');
  sees`dialog: dialog open | h2 Invite many | p status | span.strong Sent | span.line 3 of 3 rows. invited: 1 · not invited: 1 · members… | progress max=3 label=Sent | h3 1 entry to correct | code b@x.test | span.muted This is no SVCID: the adjuster’s app shows it. | button.primary Correct these | button.neutral Download as CSV | button.neutral Close | div alert | p Something went wrong. Try again in a moment. | button label=Close`;
  says`dialog p, dialog li: Sent 3 of 3 rows. invited: 1 · not invited: 1 · members already: 1 | b@x.test This is no SVCID: the adjuster’s app shows it. | Something went wrong. Try again in a moment.`;
  await press('Download as CSV');
  saves`not-invited.csv text/csv SVCID,row,reason\r\nb@x.test,3,This is no SVCID: the adjuster’s app shows it.\r\n`;
  await press('Correct these');
  expect(page.find('SVCIDs, one in a line').value).toBe('b@x.test');
  answers.inviteBoardAdjusters = { results: outcomes.slice(0, 1) };
  await press('Send 1 invitation');
  await press('Another list');
  await press('Cancel');
  await type('Name or SVCID', 'nobody');
  sees`.empty-state: h2 Nothing found`;
  sent.splice(0);
});

test('a report has each number in its column and its file, for the data, the group and the days that are chosen', async () => {
  const answered = { accepted: 11, rejected: 12, unassigned: 13 };
  const counts = { ...answered, withdrawn: 14, closed: 15, pending: 16, offers: 81 };
  const total = { ...example('reportAnswers').total, ...counts, median_answer_seconds: null };
  const rows = [{ ...total, group: 'a', label: 'Ana', partial: true, offers: 90, median_answer_seconds: 59 }];
  answers.reportAnswers = example('reportAnswers', { rows, total });
  await go('#/reports');
  sees`.filter-line, .card > p, tr: select Group by value=adjuster | option Adjuster | option Week | option Carrier | select Offered in the last value=30 | option 7 days | option 30 days | option 90 days | option 365 days | button.neutral Download as CSV | p.muted Weeks from Monday to Sunday, time zone America/Chicago | p.muted Contacts are counted only where the adjuster shares them. | th scope=col Adjuster | th scope=col Offers | th scope=col Accepted | th scope=col Rejected | th scope=col Unassigned | th scope=col Withdrawn | th scope=col Closed | th scope=col Waiting for an answer | th scope=col Median time to answer | th scope=col 90 % answered within | th scope=col Contact in time | th scope=row Ana | span.line.muted part of the week | td data-label=Offers 90 | td data-label=Accepted 11 | td data-label=Rejected 12 | td data-label=Unassigned 13 | td data-label=Withdrawn 14 | td data-label=Closed 15 | td data-label=Waiting for an answer 16 | td data-label=Median time to answer under 1 min | td data-label=90 % answered within 2 h 1 min | td data-label=Contact in time 28 of 31 | th scope=row Total | td data-label=Offers 81 | td data-label=Accepted 11 | td data-label=Rejected 12 | td data-label=Unassigned 13 | td data-label=Withdrawn 14 | td data-label=Closed 15 | td data-label=Waiting for an answer 16 | td data-label=Median time to answer – | td data-label=90 % answered within 2 h 1 min | td data-label=Contact in time 28 of 31`;
  const bars = [...page.document.querySelectorAll('[x]')];
  is(
    bars.map((bar) => `${bar.getAttribute('x')}+${bar.getAttribute('width')}`),
  )`0+11 | 11+12 | 23+13 | 36+14 | 50+15 | 65+16`;
  await choose('Group by', 'Week');
  await choose('Offered in the last', '7 days');
  await press('Test');
  answers.csv = ['a,b'];
  await press('Download as CSV');
  delete answers.csv;
  await press('Download as CSV');
  asks`reportAnswers environment=live&by=adjuster&since=2026-08-02T05:00Z&time_zone=America/Chicago | reportAnswers environment=live&by=week&since=2026-08-02T05:00Z&time_zone=America/Chicago | reportAnswers environment=live&by=week&since=2026-08-25T05:00Z&time_zone=America/Chicago | reportAnswers environment=test&by=adjuster&since=2026-08-02T05:00Z&time_zone=America/Chicago | reportAnswers environment=test&by=adjuster&since=2026-08-02T05:00Z&time_zone=America/Chicago | reportAnswers environment=test&by=adjuster&since=2026-08-02T05:00Z&time_zone=America/Chicago`;
  is([
    ...saved.splice(0),
    ...page.shows('.toast'),
  ])`answers.csv text/csv a,b | p Something went wrong. Try again in a moment. | button label=Close`;
});

test('keys show their use and their end, and are created, replaced, renamed and revoked for the shown data', async () => {
  const none = nulls('name revoked_at expires_at attention');
  const one = (id: string, changes: object) => ({ ...none, id, ...changes });
  const { created_by } = example('listKeys');
  const unused = { expires_at: '2027-01-01T13:00:00Z', last_used_at: null };
  answers.listKeys = pageOf(
    'listKeys',
    one('k1', { ...unused, created_by: { ...created_by, name: null } }),
    one('k2', { name: 'Old', expires_at: AT }),
    one('k3', { revoked_at: AT, attention: 'maker_role_changed' }),
    ...[one('k4', { environment: 'test' }), one('k5', { purpose: 'claims' })],
  );
  const days = [0, 2, 3].map((live, n) => ({ date: `2026-08-2${n + 7}`, live, test: 9 }));
  const [use] = example('getLimits').keys;
  const keys = [use, { ...use, key_id: 'k1', used: { requests: 17, writes: 1 }, rate_limited: 2 }];
  answers.getLimits = example('getLimits', { days, keys });
  await go('#/keys');
  sees`.row, .note, .wide-row: select Firm value=gulf | option Gulf | option Bayou | button expanded=false keyshortcuts=? Help | button expanded=false keyshortcuts=? Help | div.note-body You are looking at test data. | p Priya Natarajan made 1 key that works and that the… | button.neutral label=Revoke all keys of Priya Natarajan Revoke all | p 27 requests were rate limited (429) in the last 14 days. | p Aug 27, 2026: 9 · Aug 28, 2026: 9 · Aug 29, 2026: 9 | code k4 | span.line.muted Full access · created Aug 20, 2026, 8:00 AM by Pri… | span.line.muted 300 requests per minute, of which 120 may be writes | span.badge Test | span.line.muted Last used Aug 29, 2026, 9:52 AM | button.neutral Rename | button.neutral label=Revoke Revoke | button.neutral Rename | button.neutral label=Revoke Revoke`;
  await press('Live');
  sees`main: h1 Keys | button.primary Create a key | p Priya Natarajan made 1 key that works and that the… | button.neutral label=Revoke all keys of Priya Natarajan Revoke all | p 5 requests were rate limited (429) in the last 14 days. | p Aug 28, 2026: 2 · Aug 29, 2026: 3 | ul label=Keys | code k1 | span.line.muted Full access · created Aug 20, 2026, 8:00 AM by the operator | span.line.muted 300 requests per minute, of which 120 may be writes | span.line Burst: 17 of 20 used | meter max=20 high=16 | span.line 2 requests were rate limited (429) in the last 14 days. | span.badge Live | span.line.muted Not used yet | span.line.muted Expires Jan 1, 2027, 7:00 AM | button.neutral Replace | button.neutral Rename | button.neutral label=Revoke Revoke | span.strong.line Old | code k2 | span.line.muted Full access · created Aug 20, 2026, 8:00 AM by Pri… | span.line.muted 300 requests per minute, of which 120 may be writes | span.badge Live | span.pill.error Expired | span.line.muted Last used Aug 29, 2026, 9:52 AM | code k3 | span.line.muted Full access · created Aug 20, 2026, 8:00 AM by Pri… | span.pill.warning Its maker has another role now | span.line.muted 300 requests per minute, of which 120 may be writes | span.badge Live | span.pill.error Revoked | span.line.muted Last used Aug 29, 2026, 9:52 AM | code k5 | span.line.muted Claims · created Aug 20, 2026, 8:00 AM by Priya Natarajan | span.line.muted 300 requests per minute, of which 120 may be writes | span.badge Live | span.line.muted Last used Aug 29, 2026, 9:52 AM | button.neutral Rename | button.neutral label=Revoke Revoke`;
  const secret = { key: example('listKeys'), secret: 'svc_test_x', replaced: example('listKeys') };
  Object.assign(answers, { createKey: secret, rollKey: secret });
  await press('Create a key');
  sees`dialog: dialog open | h2 Create a key | form | span.badge Live | input Name, such as where it is used (optional) name=name maxlength=100 | select What for value=full_access | option Full access | option Read only | select Works for value=0 | option Until it is revoked | option 30 days | option 90 days | option 365 days | button.primary type=submit Create a key | button.neutral Cancel | div alert`;
  await type('Name, such as where it is used (optional)', ' Import ');
  await choose('What for', 'Read only');
  await choose('Works for', '30 days');
  await press('Create a key');
  const isHeld = () => !page.happens(page.window, 'beforeunload');
  const held = [isHeld()];
  sees`dialog: dialog open | h2 Your new key | div.note-body Copy it now: it is not shown again. | code.secret svc_test_x | button.primary Copy | button.neutral Use in the sandbox | button.neutral I have copied it | div alert`;
  await press('I have copied it');
  expect([...held, isHeld()]).toEqual([true, false]);
  await press('Replace');
  sees`dialog: dialog open | h2 Replace | form | span.badge Live | code k1 | select The old key still works for value=24 | option Not at all | option 1 h | option 1 day | option 7 days | button.primary type=submit Replace | button.neutral Cancel | div alert`;
  await choose('The old key still works for', '7 days');
  await press('Replace');
  await press('I have copied it');
  await press('Rename');
  await type('Name', 'New');
  await press('Rename');
  await press('Revoke');
  sees`dialog: dialog open | h2 Revoke | form | code k5 | p Programs with this key are refused within a second. | button.danger type=submit Revoke | button.neutral Cancel | div alert`;
  await press('Revoke');
  asks`listKeys limit=100 | getLimits | listKeys limit=100 | getLimits | getLimits | createKey {"environment":"live","purpose":"read_only","expires_in_days":30,"name":"Import"} | listKeys limit=100 | getLimits | rollKey k1 {"overlap_hours":168} | listKeys limit=100 | getLimits | getLimits | updateKey k5 {"name":"New"} | listKeys limit=100 | revokeKey k5 | listKeys limit=100 | getLimits`;
});

test('the log of requests has what was wrong, and is asked for with the filters that the address keeps', async () => {
  const nothing = { ...nulls('code detail existing_claim_id key_name'), places: [], place_details: [] };
  answers.listRequests = pageOf(
    'listRequests',
    { duration_ms: 1250.4, places: ['/loss/date', '/a'], place_details: ['No.', 'Nor.'] },
    { ...nothing, request_id: 'r2', environment: 'test', status: null },
    { ...nothing, request_id: 'r3', status: 400 },
    { ...nothing, request_id: 'r4', status: 399, code: 'x', documentation_url: null },
  );
  await go('#/requests/r1?code=a');
  sees`main: h1 Requests | p.muted Requests of the last 14 days with your keys, and t… | form | input Request id value=r1 name=request_id | input Id of the key name=key | input Error code value=a name=code | input Path, such as POST /v1/claims name=path | button.primary type=submit Search | select Data value=any | option Any | option Live | option Test | input Errors only type=checkbox | span Errors only | ul label=Requests | code POST /v1/claims | span.line.muted Aug 29, 2026, 9:52 AM | code 01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55 | span.pill.error 422 | a https://claims.example.com/docs/errors#validation_failed target=_blank rel=noreferrer | code validation_failed | span.line.muted 1.250 s | span.cell Live | span.line Claims import | code.line key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02 | span lang=en 1 validation error. | span.line Existing claim: | a #/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10 0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10 | code /loss/date | span lang=en No. | code /a | span lang=en Nor. | code POST /v1/claims | span.line.muted Aug 29, 2026, 9:52 AM | code r2 | span.pill.error Disconnected | span.line.muted 0.013 s | span.cell Test | code.line key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02 | code POST /v1/claims | span.line.muted Aug 29, 2026, 9:52 AM | code r3 | span.pill.error 400 | span.line.muted 0.013 s | span.cell Live | code.line key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02 | code POST /v1/claims | span.line.muted Aug 29, 2026, 9:52 AM | code r4 | span.pill.success 399 | code x | span.line.muted 0.013 s | span.cell Live | code.line key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02`;
  await type('Error code', ' claim_closed ');
  page.happens(Object.assign(page.find('Request id'), { value: ' ' }), 'input');
  await press('Search');
  await choose('Data', 'Test');
  for (let ticks = 0; ticks < 2; ticks += 1) await tick('Errors only');
  expect(location.hash).toBe('#/requests?code=claim_closed&environment=test');
  await go('#/');
  await go('#/requests?path=x&environment=live&errors=true');
  sees`form, main input, main select: form | input Request id name=request_id | input Id of the key name=key | input Error code name=code | input Path, such as POST /v1/claims value=x name=path | button.primary type=submit Search | input Request id name=request_id | input Id of the key name=key | input Error code name=code | input Path, such as POST /v1/claims value=x name=path | select Data value=live | option Any | option Live | option Test | input Errors only type=checkbox checked`;
  asks`listRequests request_id=r1&code=a&limit=50 | listRequests request_id=r1&code=a&limit=50 | listRequests code=claim_closed&limit=50 | listRequests code=claim_closed&environment=test&limit=50 | listRequests code=claim_closed&environment=test&errors=true&limit=50 | listRequests code=claim_closed&environment=test&limit=50 | listRequests path=x&environment=live&errors=true&limit=50`;
});

test('endpoints of the shown data say how each attempt went, and each act is on its own one', async () => {
  const paused = { state: 'paused', previous_secret_until: null };
  const one = (id: string, changes: object) => ({ id, url: `https://${id}.test`, ...changes });
  answers.listWebhooks = pageOf(
    'listWebhooks',
    ...[one('w1', { ...paused, paused_reason: 'gone' }), one('w2', { environment: 'test' })],
    ...[one('w3', paused), one('w4', {})],
  );
  const attempts = [
    { at: AT, status: 500, error: null, duration_ms: 80 },
    { at: '2026-09-01T13:01:00Z', status: null, error: 'tls_failed', duration_ms: 81 },
  ];
  const delivery = { id: 'd1', status: 'pending', attempts, next_attempt_at: '2026-09-01T16:00:00Z' };
  answers.listWebhookDeliveries = pageOf('listWebhookDeliveries', delivery);
  await go('#/webhooks');
  sees`main: h1 Webhooks | p.muted An endpoint of your system is called when claims h… | a /docs/webhooks Read the guide | button.primary Add an endpoint | section label=https://w1.test | code https://w1.test | span.pill.error Paused: it answered 410 | p status 1 waiting · Failed (no secure connection) Sep 1, 2… | button.neutral Send a test | button.neutral Resume | button.neutral Replace the secret | button.neutral label=Remove this endpoint? Remove | details | summary Deliveries | ul label=Deliveries | code claims.changed | span.pill.warning Waiting | span.muted Sep 1, 2026, 7:00:01 AM | p.muted webhook-id | code d1 | p.muted Sep 1, 2026, 8:00:00 AM · 500 · 80 ms | p.muted Sep 1, 2026, 8:01:00 AM · no secure connection · 81 ms | p.muted Next attempt Sep 1, 2026, 11:00:00 AM | button.neutral Send again | section label=https://w3.test | code https://w3.test | span.pill.error Paused after three days of failures | p status 1 waiting · Failed (no secure connection) Sep 1, 2… | button.neutral Send a test | button.neutral Resume | button.neutral Replace the secret | button.neutral label=Remove this endpoint? Remove | details | summary Deliveries | ul label=Deliveries | code claims.changed | span.pill.warning Waiting | span.muted Sep 1, 2026, 7:00:01 AM | p.muted webhook-id | code d1 | p.muted Sep 1, 2026, 8:00:00 AM · 500 · 80 ms | p.muted Sep 1, 2026, 8:01:00 AM · no secure connection · 81 ms | p.muted Next attempt Sep 1, 2026, 11:00:00 AM | button.neutral Send again | section label=https://w4.test | code https://w4.test | span.pill.success Active | p status 1 waiting · Failed (no secure connection) Sep 1, 2… | p.muted Signed with both secrets until Sep 2, 2026, 7:00 AM | button.neutral Send a test | button.neutral Pause | button.neutral Replace the secret | button.neutral label=Remove this endpoint? Remove | details | summary Deliveries | ul label=Deliveries | code claims.changed | span.pill.warning Waiting | span.muted Sep 1, 2026, 7:00:01 AM | p.muted webhook-id | code d1 | p.muted Sep 1, 2026, 8:00:00 AM · 500 · 80 ms | p.muted Sep 1, 2026, 8:01:00 AM · no secure connection · 81 ms | p.muted Next attempt Sep 1, 2026, 11:00:00 AM | button.neutral Send again`;
  says`section p: 1 waiting · Failed (no secure connection) Sep 1, 2026, 8:01:00 AM · Next attempt Sep 1, 2026, 11:00:00 AM | claims.changed Waiting Sep 1, 2026, 7:00:01 AM | webhook-id d1 | Sep 1, 2026, 8:00:00 AM · 500 · 80 ms | Sep 1, 2026, 8:01:00 AM · no secure connection · 81 ms | Next attempt Sep 1, 2026, 11:00:00 AM | 1 waiting · Failed (no secure connection) Sep 1, 2026, 8:01:00 AM · Next attempt Sep 1, 2026, 11:00:00 AM | claims.changed Waiting Sep 1, 2026, 7:00:01 AM | webhook-id d1 | Sep 1, 2026, 8:00:00 AM · 500 · 80 ms | Sep 1, 2026, 8:01:00 AM · no secure connection · 81 ms | Next attempt Sep 1, 2026, 11:00:00 AM | 1 waiting · Failed (no secure connection) Sep 1, 2026, 8:01:00 AM · Next attempt Sep 1, 2026, 11:00:00 AM | Signed with both secrets until Sep 2, 2026, 7:00 AM | claims.changed Waiting Sep 1, 2026, 7:00:01 AM | webhook-id d1 | Sep 1, 2026, 8:00:00 AM · 500 · 80 ms | Sep 1, 2026, 8:01:00 AM · no secure connection · 81 ms | Next attempt Sep 1, 2026, 11:00:00 AM`;
  answers.updateWebhook = example('updateWebhook', { secret: 'whsec_x' });
  answers.testWebhook = example('testWebhook', { id: 'd1', response_body: 'Hi.' });
  for (const name of ['Pause', 'Resume', 'Send a test', 'Send again', 'Replace the secret'])
    await press(name);
  sees`dialog, section[aria-label="https://w4.test"] p: p status 1 waiting · Failed (no secure connection) Sep 1, 2… | p.muted Signed with both secrets until Sep 2, 2026, 7:00 AM | code claims.changed | span.pill.warning Waiting | span.muted Sep 1, 2026, 7:00:01 AM | p.muted webhook-id | code d1 | p.muted Sep 1, 2026, 8:00:00 AM · 500 · 80 ms | p.muted Sep 1, 2026, 8:01:00 AM · no secure connection · 81 ms | p Response: | code Hi. | p.muted Next attempt Sep 1, 2026, 11:00:00 AM | dialog open | h2 Secret of the endpoint | div.note-body Copy it now: it is not shown again. | code.secret whsec_x | button.primary Copy | button.neutral I have copied it | div alert`;
  await press('I have copied it');
  await press('Remove this endpoint?');
  await press('Remove');
  await press('Add an endpoint');
  await type('Address', 'ftp://a.test');
  answers.createWebhook = refusal(422, 'validation_failed', 'It must be https.');
  await press('Add an endpoint');
  sees`dialog: dialog open | h2 Add an endpoint | form | input Address value=ftp://a.test name=url required placeholder=https:// | button.primary type=submit Add an endpoint | button.neutral Cancel | div alert | p The service did not accept what was entered. It mu… | button label=Close`;
  await press('Cancel');
  asks`listWebhooks | listWebhookDeliveries w1 limit=20 | listWebhookDeliveries w3 limit=20 | listWebhookDeliveries w4 limit=20 | updateWebhook w4 {"state":"paused"} | listWebhooks | updateWebhook w3 {"state":"active"} | listWebhooks | testWebhook w4 | listWebhooks | listWebhookDeliveries w4 limit=20 | replayWebhookDelivery d1 | listWebhooks | listWebhookDeliveries w4 limit=20 | updateWebhook w4 {"roll_secret":true} | listWebhooks | listWebhookDeliveries w4 limit=20 | listWebhookDeliveries w4 limit=20 | removeWebhook w4 | listWebhooks | listWebhookDeliveries w4 limit=20 | createWebhook {"url":"ftp://a.test","environment":"live"} | listWebhooks`;
});

test('readiness says what each check found since the chosen time', async () => {
  const [check] = example('getFirmReadiness').checks;
  const [finding] = check.findings;
  const lost = { ...finding.requests[0], request_id: 'lost', status: null, code: null };
  const unseen = { ...check, findings: [], state: 'not_exercised', passed: 0, finding_count: 0 };
  const checks = [
    { ...check, finding_count: 9, findings: [finding, { detail: 'Lost.', requests: [lost] }] },
    ...['poll_gaps', 'retry_after'].map((name) => ({ ...unseen, check: name })),
    { ...unseen, state: 'passed', passed: 2 },
  ];
  answers.getFirmReadiness = example('getFirmReadiness', { checks, complete: false });
  await go('#/readiness/2026-08-29T14:00:00.000Z');
  sees`main: h1 Readiness | p What your programs did with test keys, and what to… | a /docs/readiness Read the guide | select Requests since value=rehearsal | option 24 hours ago | option 1 hour ago | option The start of the rehearsal | button.primary Check again | p.strong Not ready yet | p 84 requests and 40 claims checked since Aug 29, 20… | p There are more than one check covers. | section label=Retries have the same Idempotency-Key | span lang=en Retries have the same Idempotency-Key | span.pill.error Failed | span lang=en Send every retry with the same key and the same body. | p.muted Done right: 3. 9 findings. | details | summary Show the latest 2 findings | span lang=en A write that failed was sent again with another Id… | span.muted Aug 29, 2026, 10:04 AM | code POST /v1/claims | code 500 | code internal_error | span.badge Simulated error | a #/requests/01990b5c-8f0d-4c6c-9a2b-6a1f0f4f7b21 Request | span.muted Aug 29, 2026, 10:04 AM | code POST /v1/claims | code 201 | a #/requests/01990b5c-9311-4b6c-8a2b-2a1f0f4f7b22 Request | span lang=en Lost. | span.muted Aug 29, 2026, 10:04 AM | code POST /v1/claims | code – | span.badge Simulated error | a #/requests/lost Request | section label=Retries have the same Idempotency-Key | span lang=en Retries have the same Idempotency-Key | span.pill.neutral Not seen yet | span lang=en Simulate the fault dropped while your system sends a claim. | section label=Retries have the same Idempotency-Key | span lang=en Retries have the same Idempotency-Key | span.pill.neutral Not seen yet | span lang=en Simulate the fault dropped while your system sends a claim. | a #/sandbox Sandbox | section label=Retries have the same Idempotency-Key | span lang=en Retries have the same Idempotency-Key | span.pill.success Passed | p.muted Done right: 2. 0 findings.`;
  says`.note p, section p, section summary: Not ready yet | 84 requests and 40 claims checked since Aug 29, 2026, 9:00 AM | There are more than one check covers. | Send every retry with the same key and the same body. | Done right: 3. 9 findings. | Show the latest 2 findings | A write that failed was sent again with another Idempotency-Key. | Aug 29, 2026, 10:04 AM POST /v1/claims 500 internal_error Simulated error Request | Aug 29, 2026, 10:04 AM POST /v1/claims 201 Request | Lost. | Aug 29, 2026, 10:04 AM POST /v1/claims – Simulated error Request | Simulate the fault dropped while your system sends a claim. | Simulate the fault dropped while your system sends a claim. Sandbox | Done right: 2. 0 findings.`;
  for (const period of ['24 hours ago', '1 hour ago']) await choose('Requests since', period);
  answers.getFirmReadiness = example('getFirmReadiness', { checks: [], ready: true });
  await press('Check again');
  sees`.note, .note-body, .note p: p.strong Ready for live keys | p 84 requests and 40 claims checked since Aug 29, 20… | p.strong Ready for live keys | p 84 requests and 40 claims checked since Aug 29, 20… | p.strong Ready for live keys | p 84 requests and 40 claims checked since Aug 29, 20…`;
  await go('#/readiness');
  sees`select: select Firm value=gulf | option Gulf | option Bayou | select Requests since value=day | option 24 hours ago | option 1 hour ago`;
  asks`getFirmReadiness since=2026-08-29T14:00Z | getFirmReadiness since=2026-08-31T15:04Z | getFirmReadiness since=2026-09-01T14:04Z | getFirmReadiness since=2026-09-01T14:04Z | getFirmReadiness since=2026-08-31T15:04Z`;
});

test('the trail is filtered by what is typed or pressed, verified in parts and saved page by page', async () => {
  const changes = { name: { from: null, to: 'B' } };
  const denied = pageOf('listAudit', { id: '1', actor_name: null, actor: 'key:k1', outcome: 'denied' });
  answers.listAudit = ({ cursor }) =>
    cursor === undefined
      ? { ...denied, next_cursor: 'p2' }
      : pageOf('listAudit', { id: '2', action: 'staff.rename', object: null, changes });
  const last = { intact: true, rows: 6, last: { seq: 46, hash: 'h46' } };
  const parts = [{ intact: true, rows: 40, next_cursor: '1' }, last];
  answers.verifyAudit = ({ cursor = '0' }) => Object(parts[Number(cursor)]);
  await go('#/audit');
  sees`.wide-row: button.value title=Show only these key:k1 | span.line.muted 4711 · Aug 29, 2026, 9:52 AM | button.value title=Show only these claim: send | span.pill.error denied | button.value title=Show only these claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10 | span.line role: dispatcher → auditor | button.value title=Show only these Priya Natarajan | span.line.muted 4711 · Aug 29, 2026, 9:52 AM | button.value title=Show only these staff: rename | span.line name: – → B`;
  await press(/^claim:0b9f/);
  await type('Who', ' key:k1 ');
  await type('First day', '2026-03-07');
  await type('Last day', '2026-03-08');
  await press('Search');
  await press('Verify');
  sees`form input: input Who value= key:k1  name=actor | input Action name=action | input Object value=claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10 name=object | input Request id name=request_id | input First day value=2026-03-07 name=since type=date | input Last day value=2026-03-08 name=until type=date`;
  says`.note-body: From Mar 7, 2026, 12:00 AM to Mar 9, 2026, 12:00 AM: nothing was changed or removed, 46 rows were verified.46 h46`;
  answers.verifyAudit = { intact: false, seq: 47 };
  await press('Verify');
  says`.note-body: From Mar 7, 2026, 12:00 AM to Mar 9, 2026, 12:00 AM: the trail is broken at row 47.`;
  asks`listAudit limit=100 | listAudit limit=100&cursor=p2 | listAudit object=claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10&limit=100 | listAudit object=claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10&limit=100&cursor=p2 | listAudit actor=key:k1&object=claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10&since=2026-03-07T06:00Z&until=2026-03-09T05:00Z&limit=100 | listAudit actor=key:k1&object=claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10&since=2026-03-07T06:00Z&until=2026-03-09T05:00Z&limit=100&cursor=p2 | verifyAudit since=2026-03-07T06:00Z&until=2026-03-09T05:00Z | verifyAudit since=2026-03-07T06:00Z&until=2026-03-09T05:00Z&cursor=1 | verifyAudit since=2026-03-07T06:00Z&until=2026-03-09T05:00Z`;
  await press('Export');
  asks`listAudit actor=key:k1&object=claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10&since=2026-03-07T06:00Z&until=2026-03-09T05:00Z&limit=100 | listAudit actor=key:k1&object=claim:0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10&since=2026-03-07T06:00Z&until=2026-03-09T05:00Z&limit=100&cursor=p2`;
  answers.listAudit = { ...denied, next_cursor: 'p2' };
  const lines = saved.splice(0).flatMap((text) => text.match(/^\S+ \S+|"id":"."/g));
  expect(lines).toEqual(['audit.jsonl application/jsonl', '"id":"1"', '"id":"2"']);
  await press('Export');
  says`.toast p: The file is incomplete: it has the latest 50000 rows. Export with filters, or ask the operator for the rest.`;
  [sent.length, saved.length] = [0, 0];
});

test('people are invited, have the role that is chosen, and leave keys behind when they are removed', async () => {
  const ann = { id: 's2', name: 'Ann', joined_at: null, role: 'developer', working_keys: 2 };
  answers.listStaff = pageOf('listStaff', {}, ann);
  await go('#/people');
  sees`main: h1 People | button.primary Invite a person | ul label=People | span.strong Priya Natarajan | span.line.muted priya@gulfadjusting.example.com | span.cell.muted Since Aug 20, 2026, 11:41 AM | select Role of Priya Natarajan value=dispatcher | option Administrator | option Dispatcher | option Developer | option Auditor | span.strong Ann | span.line.muted priya@gulfadjusting.example.com | span.cell.muted Invited Aug 20, 2026, 8:00 AM | select Role of Ann value=developer | option Administrator | option Dispatcher | option Developer | option Auditor | button.neutral label=Remove Ann Remove`;
  answers.updateStaff = refusal(409, 'last_admin');
  await choose('Role of Ann', 'Dispatcher');
  is([
    page.find('Role of Ann').value,
    ...page.shows('.toast'),
  ])`developer | p The last administrator stays. | button label=Close`;
  delete answers.updateStaff;
  await choose('Role of Ann', 'Auditor');
  await press('Invite a person');
  await type('Full name', ' Ben ');
  await type('Email', 'b@x.test');
  sees`dialog: dialog open | h2 Invite a person | form | input Full name value= Ben  name=name required | input Email value=b@x.test name=email required type=email | select Role value=dispatcher | option Administrator | option Dispatcher | option Developer | option Auditor | button.primary type=submit Invite a person | button.neutral Cancel | div alert`;
  await press('Invite a person');
  await press('Remove Ann');
  sees`dialog: dialog open | h2 Remove Ann | form | p The person is signed out of this firm within a second. | p 2 keys that the person made still work afterwards,… | button.danger type=submit Remove | button.neutral Cancel | div alert`;
  says`dialog p: The person is signed out of this firm within a second. | 2 keys that the person made still work afterwards, until they are revoked.`;
  await press('Remove');
  sees`[role=alert]: div alert | p Ann was removed from the people, and 2 keys of the… | button.neutral label=Revoke all keys of Ann Revoke all | a #/keys Keys`;
  says`[role=alert] p: Ann was removed from the people, and 2 keys of theirs still work. Replace or revoke what they may know.`;
  answers.revokeKeysOfMaker = refusal(403, 'insufficient_scope');
  await press('Revoke all keys of Ann');
  await press('Revoke all');
  delete answers.revokeKeysOfMaker;
  await press('Revoke all keys of Ann');
  sees`dialog: dialog open | h2 Revoke all keys of Ann | form | p Programs with this key are refused within a second. | button.danger type=submit Revoke all | button.neutral Cancel | div alert`;
  await press('Revoke all');
  expect(page.shows('main [role=alert]')).toEqual([]);
  asks`listStaff | updateStaff s2 {"role":"dispatcher"} | listStaff | updateStaff s2 {"role":"auditor"} | listStaff | inviteStaff {"name":"Ben","email":"b@x.test","role":"dispatcher"} | listStaff | removeStaff s2 | listStaff | revokeKeysOfMaker {"staff_id":"s2"} | revokeKeysOfMaker {"staff_id":"s2"}`;
});

test('settings have the rules of clocks, which are saved with their version, the sessions, and both ends of this one', async () => {
  const getClocks = example('getClocks', { time_zone: 'America/New_York' });
  answers.getClocks = getClocks;
  answers.updateClocks = refusal(422, 'validation_failed', 'No time.');
  await go('#/settings');
  sees`main: h1 Settings | h2 Account | span.strong Priya Natarajan | span.line priya@gulfadjusting.example.com | span.line.muted Dispatcher | p Gulf | span.muted Firm | input Email me once a day when offers are late type=checkbox | span Email me once a day when offers are late | select Language value=device | option Same as device | option English | option Español | select Colors value=device | option Same as device | option Light | option Dark | h2 Clocks | p.muted What your firm owes its carriers. Of the rules for… | p.muted Program: 24 hours, 48 hours, 15 days. Days are cou… | legend Palmetto Mutual Insurance, FL26-09 | input Carrier (empty: all) value=Palmetto Mutual Insurance name=carrier-0 maxlength=255 | input CAT code (empty: all) value=FL26-09 name=cat_code-0 maxlength=20 | input First contact, hours after acceptance value=12 name=contact_hours-0 inputmode=numeric maxlength=20 | input Inspection, hours after contact value=48 name=inspection_hours-0 inputmode=numeric maxlength=20 | input Report, days after acceptance value=3 name=report_days-0 inputmode=numeric maxlength=20 | button.neutral label=Remove the rule for Palmetto Mutual Insurance, FL26-09 Remove the rule for Palmetto Mutual Insurance, FL26-09 | button.neutral Add a rule | button.primary Save the clocks | h2 Where you are signed in | span.strong Safari on iPhone | span.line.muted This session | h2 Session | button.neutral Sign out | button.neutral Sign out everywhere | p.muted Version 0.1.0`;
  await press('Add a rule');
  for (const field of ['Carrier (empty: all)', 'Report, days after acceptance']) await type(field, '7');
  // What is typed was made from the version of before.
  answers.getClocks = { ...getClocks, version: 'of another person' };
  await go('#/');
  await go('#/settings');
  await press('Save the clocks');
  sees`.note-body, legend, .toast: legend Data | legend Palmetto Mutual Insurance, FL26-09 | legend 7 | div.note-body Not saved. Check that each rule has a time, and th…`;
  says`.note-body: Not saved. Check that each rule has a time, and that no two are for the same claims: No time.`;
  answers.updateClocks = refusal(409, 'clocks_changed');
  await press('Save the clocks');
  sees`.note-body: div.note-body Somebody else has changed the rules since you open…`;
  answers.getClocks = { ...getClocks, rules: [], version: 'v2' };
  await press('Load the rules again');
  await press('Add a rule');
  await type('Inspection, hours after contact', '5');
  answers.updateClocks = (_, body) => ({ ...body, version: 'v3' });
  await press('Save the clocks');
  await press(/^Remove the rule/);
  await press('Save the clocks');
  answers.updateOwnStaff = Object(answers.getOwnStaff);
  await tick('Email me once a day when offers are late');
  sees`.toast: p Saved. | button label=Close`;
  await choose('Colors', 'Dark');
  asks`getClocks | listStaffSessions | getClocks | listStaffSessions | updateClocks {"rules":[{"carrier":"Palmetto Mutual Insurance","cat_code":"FL26-09","contact_hours":12,"inspection_hours":48,"report_days":3},{"carrier":"7","report_days":7}],"time_zone":"America/New_York","based_on":"q1ZKTs4sSVWyUjIy"} | updateClocks {"rules":[{"carrier":"Palmetto Mutual Insurance","cat_code":"FL26-09","contact_hours":12,"inspection_hours":48,"report_days":3},{"carrier":"7","report_days":7}],"time_zone":"America/New_York","based_on":"q1ZKTs4sSVWyUjIy"} | getClocks | updateClocks {"rules":[{"inspection_hours":5}],"time_zone":"America/Chicago","based_on":"v2"} | updateClocks {"rules":[],"time_zone":"America/Chicago","based_on":"v3"} | updateOwnStaff {"late_offers_mail":"daily"}`;
});

const imported = (rows: readonly object[]) => {
  const more = { ...nulls('next_row likely_header_row'), header: ['Claim #', 'A', 'B'], total_rows: 3 };
  const columns = { 'Claim #': 'claim_number', A: null };
  return example('importClaims', { ...more, columns, rows, problems: [] });
};

test('a file is checked, its questions are answered together, and its rows are sent with what was chosen', async () => {
  const question = (columns: string, fields: string) => ({
    ...{ columns: columns.split(' '), fields: fields.split(' '), detail: columns + fields, column: null },
  });
  const wrong = { column: null, field: 'loss_location.zip', code: 'duplicate_claim', detail: 'No.' };
  const problems = [wrong, { ...wrong, column: 'Zip', code: null }];
  const rows = ['valid', 'invalid', 'valid'].map((outcome, n) => ({
    ...{ row: n + 2, external_id: `E${n}`, outcome, problems: n === 1 ? problems : [], needs_adjuster: null },
  }));
  const result = imported(rows);
  const questions = [
    ...[question('A B', 'policyholder.phone'), question('B', 'loss.date reported_date')],
    question('A', 'carrier.name'),
  ];
  answers.importClaims = { ...result, problems: questions };
  const old = { file_name: null, name: 'old', sent: 4, already_sent: 5, failed: 6 };
  answers.listImports = pageOf('listImports', old);
  await go('#/upload');
  sees`main: h1 Upload | p.muted Claims from a CSV file of your system, or an Excel… | input CSV file or Excel workbook (.xlsx) type=file | select Dates such as 8/9/2026 | option As each column shows | option Month first | option Day first | h2 Columns | p Every row needs these fields, and the name and a p… | p Your id of the claim · Claim number · Adjuster (SV… | p.muted Columns with other names, such as “Claim #” or “Zi… | button.neutral Download a sample | h2 Earlier uploads | li old · Aug 29, 2026, 9:52 AM · sent: 4 · sent befor…`;
  const file = new File(['Claim #,A,B\n1,a,"d\ne"\n2,a,b\n3,a,b\n'], 'export 7.csv');
  await choosesFile(file);
  is([
    ...page.shows('.card'),
    ...page.outline(page.find('Row with the column names')).slice(0, 4),
  ])`section label=Checked | h2 Checked: export 7.csv | progress max=3 label=Checked | p status 3 of 3 rows. without problems: 2 · with problems: 1 | p.warning 4 lines with text, 3 rows: some rows have several … | h2 Please answer | select Which column is “Policyholder: phone”? | option Choose … | option A | option B | option None: leave it out | select What does the column “B” hold? | option Choose … | option Loss: date | option Reported on | option None: leave it out | select Is the column “A” the field “Carrier: name”? | option Choose … | option A | option None: leave it out | select Row with the column names value=0 | option The first row with text | option 1: Claim #,A,B | option 2: 1,a,"d`;
  await choose('Which column is “Policyholder: phone”?', 'B');
  await choose('What does the column “B” hold?', 'Loss: date');
  answers.importClaims = result;
  await choose('Is the column “A” the field “Carrier: name”?', 'None: leave it out');
  sees`.card, .wide-row, .row: select Firm value=gulf | option Gulf | option Bayou | button expanded=false keyshortcuts=? Help | button expanded=false keyshortcuts=? Help | section label=Checked | h2 Checked: export 7.csv | progress max=3 label=Checked | p status 3 of 3 rows. without problems: 2 · with problems: 1 | p.warning 4 lines with text, 3 rows: some rows have several … | button.primary Send 2 claims | span 2 problems | button.neutral Download 2 problems as CSV | span.strong Row 3 | span.muted E1 | span An open claim with this number exists already. | code Loss location: ZIP code | span.strong Row 3 | span.muted E1 | code Zip | span lang=en No.`;
  says`.card p, .wide-row: 3 of 3 rows. without problems: 2 · with problems: 1 | 4 lines with text, 3 rows: some rows have several lines. Check that no quote joins two rows. | Row 3 E1Loss location: ZIP code An open claim with this number exists already. | Row 3 E1Zip No.`;
  await press('Download 2 problems as CSV');
  await choose('A', 'Carrier: name');
  await choose('Claim #', 'Left out');
  await choose('The same for all rows', 'Adjuster (SVCID, name or email)');
  await type('Value', ' SVC-1 ');
  await press('Add');
  await press('Remove Adjuster (SVCID, name or email)');
  await choose('Dates such as 8/9/2026', 'Day first');
  answers.importClaims = { refused: 503 };
  await press('Send 2 claims');
  await go('#/');
  sees`a.pill, .network: a.pill.warning #/upload Stopped: 0 of 3 rows. | div status | span The service has a problem, which is not your connection.`;
  const sentRows = rows.map((each, n) => ({ ...each, outcome: n === 1 ? 'failed' : 'sent', problems: [] }));
  answers.importClaims = { ...result, dry_run: false, rows: sentRows };
  await go('#/upload');
  await press('Resume');
  sees`.card: section label=Sent | h2 Sent: export 7.csv | progress max=3 label=Sent | p status 3 of 3 rows. sent: 2 · not sent: 1`;
  asks`listImports environment=live&limit=20 | importClaims {"adjusters":{},"name":"export","file_name":"export 7.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"columns":{"Claim #":"claim_number","B":"loss.date"},"name":"export","file_name":"export 7.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"columns":{"Claim #":"claim_number","A":"carrier.name","B":"loss.date"},"name":"export","file_name":"export 7.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"columns":{"A":"carrier.name","B":"loss.date"},"name":"export","file_name":"export 7.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"columns":{"A":"carrier.name","B":"loss.date"},"values":{"adjuster_svc_id":"SVC-1"},"name":"export","file_name":"export 7.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"columns":{"A":"carrier.name","B":"loss.date"},"values":{},"name":"export","file_name":"export 7.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"columns":{"A":"carrier.name","B":"loss.date"},"values":{},"date_order":"dmy","name":"export","file_name":"export 7.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"columns":{"Claim #":"claim_number"},"values":{},"date_order":"dmy","name":"export","file_name":"export 7.csv","dry_run":false,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"columns":{"Claim #":"claim_number"},"values":{},"date_order":"dmy","name":"export","file_name":"export 7.csv","dry_run":false,"text":"Claim #,A,B\\n1,a,\\"d\\ne\\"\\n2,a,b\\n3,a,b\\n","delimiter":"comma","environment":"live"}`;
  saves`problems.csv text/csv row,column,code,text\r\n3,Loss location: ZIP code,duplicate_claim,An open claim with this number exists already.\r\n3,Zip,,No.\r\n`;
});

test('the sandbox takes a test key alone, and has what can be done with each account and claim', async () => {
  const account = (name: string, status: string) => ({ svc_id: `test_f_${name}`, status, test: true });
  const list = (...data: readonly object[]) => ({ data, next_cursor: null });
  const claim = (n: number, status: string) => ({
    ...{ id: `c${n}`, external_id: `E${n}`, assignment: { status, adjuster_svc_id: 'SVC-2' } },
  });
  const [manual, joins] = [account('manual', 'active'), account('joins', 'expired')];
  answers['GET /v1/adjusters'] = list(manual, account('accepts', 'pending'), joins);
  // Those that have changed last come last.
  const accepted = Array.from({ length: 21 }, (_, n) => claim(n, 'accepted'));
  answers['GET /v1/claims'] = list(...accepted, claim(21, 'pending_acceptance'));
  answers['GET /v1/me'] = { key: {} };
  await go('#/sandbox');
  await type('Test key', 'svc_live_x');
  await press('Use in the sandbox');
  sees`main: h1 Sandbox | p.muted Simulate adjusters and failures with a test key. T… | a /docs/test-accounts Read the guide | form | input Test key value=svc_live_x name=key required type=password invalid | p.field-error A test key starts with svc_test_. | p.muted A key is shown once, when it is created or replaced: | a #/keys Keys | button.primary type=submit Use in the sandbox`;
  await type('Test key', ' svc_test_x ');
  await press('Use in the sandbox');
  await page.wait(1000);
  sees`main: h1 Sandbox | p.muted Simulate adjusters and failures with a test key. T… | a /docs/test-accounts Read the guide | button.neutral Refresh | button.neutral Forget the key | details | summary Refresh | span.pill.success Done | pre lang=en { "key": {} } | h2 Test accounts | code test_f_manual | span.muted Active | button.neutral label=Pause test_f_manual Pause | button.neutral label=Resume test_f_manual Resume | button.neutral label=Leave the firm test_f_manual Leave the firm | code test_f_accepts | span.muted Invited | button.neutral label=Accept test_f_accepts Accept | button.neutral label=Decline test_f_accepts Decline | button.neutral label=Expire test_f_accepts Expire | code test_f_rejects | button.neutral label=Invite test_f_rejects Invite | code test_f_paused | button.neutral label=Invite test_f_paused Invite | code test_f_new | button.neutral label=Invite test_f_new Invite | code test_f_joins | span.muted Expired | button.neutral label=Invite test_f_joins Invite | code test_f_declines | button.neutral label=Invite test_f_declines Invite | h2 Claims | code E21 | span.muted Offered · SVC-2 | button.neutral label=Accept E21 Accept | button.neutral label=Reject E21 Reject | button.neutral label=Close E21 Close | code E20 | span.muted Accepted · SVC-2 | button.neutral label=Close E20 Close | code E19 | span.muted Accepted · SVC-2 | button.neutral label=Close E19 Close | code E18 | span.muted Accepted · SVC-2 | button.neutral label=Close E18 Close | code E17 | span.muted Accepted · SVC-2 | button.neutral label=Close E17 Close | code E16 | span.muted Accepted · SVC-2 | button.neutral label=Close E16 Close | code E15 | span.muted Accepted · SVC-2 | button.neutral label=Close E15 Close | code E14 | span.muted Accepted · SVC-2 | button.neutral label=Close E14 Close | code E13 | span.muted Accepted · SVC-2 | button.neutral label=Close E13 Close | code E12 | span.muted Accepted · SVC-2 | button.neutral label=Close E12 Close | code E11 | span.muted Accepted · SVC-2 | button.neutral label=Close E11 Close | code E10 | span.muted Accepted · SVC-2 | button.neutral label=Close E10 Close | code E9 | span.muted Accepted · SVC-2 | button.neutral label=Close E9 Close | code E8 | span.muted Accepted · SVC-2 | button.neutral label=Close E8 Close | code E7 | span.muted Accepted · SVC-2 | button.neutral label=Close E7 Close | code E6 | span.muted Accepted · SVC-2 | button.neutral label=Close E6 Close | code E5 | span.muted Accepted · SVC-2 | button.neutral label=Close E5 Close | code E4 | span.muted Accepted · SVC-2 | button.neutral label=Close E4 Close | code E3 | span.muted Accepted · SVC-2 | button.neutral label=Close E3 Close | code E2 | span.muted Accepted · SVC-2 | button.neutral label=Close E2 Close | form | select Your next requests with this key value=rate_limited | option rate_limited | option internal_error | option service_unavailable | option slow | option dropped | option dropped_write | option unknown_value | option short_page | input How many value=2 name=count inputmode=numeric | button.primary type=submit Simulate | button.neutral Clear | h2 Rehearse a storm | p Test accounts accept, reject, pause and leave, and… | a /docs/readiness Read the guide | select Claims value=30 | option 10 | option 30 | option 60 | option 200 | option 1000 | select From the first claim on value=12 | option 1 min | option 6 min | option 12 min | option 30 min | button.primary Start | h2 Samples | p These variables run every quick start: , , | a /docs/quick-starts Python, TypeScript, Java, C# | a /docs/sdk SDK | a /docs/quick-start curl | h3 Variables | button.primary label=Copy: Variables Copy | pre export CLAIMS_URL=https://claims.example export CL… | h3 Send a claim | button.primary label=Copy: Send a claim Copy | pre curl "https://claims.example/v1/claims" -H "Author…`;
  answers['POST /v1/test/claims/c21/closure'] = {
    ...refusal(409, 'claim_closed', 'Closed.'),
    request_id: 'r1',
  };
  await press('Close E21');
  sees`details: details open | summary Close E21 | span.pill.error claim_closed | pre lang=en claim_closed: Closed. | a #/requests/r1 Request`;
  for (const name of ['Expire test_f_accepts', 'Decline test_f_accepts', 'Accept E21', 'Start'])
    await press(name);
  sees`p.strong, [role=log] p: p.strong status Failed | span lang=en a rehearsal needs a test key`;
  await press('Forget the key');
  sees`h1, form, [role=log]: h1 Sandbox | form | input Test key name=key required type=password | p.muted A key is shown once, when it is created or replaced: | a #/keys Keys | button.primary type=submit Use in the sandbox`;
  asks`GET /v1/me | GET /v1/adjusters limit=200 | GET /v1/claims updated_since=2026-08-31T15:06Z&limit=200 | POST /v1/test/claims/c21/closure | GET /v1/adjusters limit=200 | GET /v1/claims updated_since=2026-08-31T15:06Z&limit=200 | POST /v1/test/invitations/test_f_accepts/expiry | GET /v1/adjusters limit=200 | GET /v1/claims updated_since=2026-08-31T15:06Z&limit=200 | POST /v1/test/invitations/test_f_accepts/decline | GET /v1/adjusters limit=200 | GET /v1/claims updated_since=2026-08-31T15:06Z&limit=200 | POST /v1/test/claims/c21/acceptance | GET /v1/adjusters limit=200 | GET /v1/claims updated_since=2026-08-31T15:06Z&limit=200 | GET /v1/me`;
});

test('the map has the claims that wait and those that are accepted, and is read again when something has changed', async () => {
  const claims = (...rows: readonly object[]) => pageOf('listBoardClaims', ...rows);
  const place = { street: '1 New Road', city: 'Newtown', state: 'FL', zip: '00000' };
  const accepted = claims(row('Dee', { status: 'accepted', late: true }));
  const waiting = claims(row('Ann', { status: 'rejected' }), row('Ben', {}), row('Cal', { place }));
  answers.listBoardClaims = ({ status }) => (status === 'accepted' ? accepted : waiting);
  await go('#/map');
  page.observe();
  await look();
  sees`main: h1 Map | section label=Map of open claims | canvas | button.marker.offer label=3 claims near Fort Myers Beach, FL: 2+1 title=Waiting: 2, Accepted: 1 pressed=false 2+1 | span.map-town ≈ Fort Myers Beach | button.neutral label=Zoom in + | button.neutral label=Zoom out − | button.neutral Show all | span Waiting | span Accepted | p.muted 1 claim has a ZIP code that is not on the map. | p.muted Places are the centers of ZIP codes. Map data: U.S…`;
  await press(/^3 claims/);
  sees`.wide-row: a.strong #/claims/Ann Ann | span.pill.error Rejected | span.line.muted 1420 Seagrape Lane, Fort Myers Beach | a.strong #/claims/Ben Ben | span.pill.warning Offered | span.line.muted 1420 Seagrape Lane, Fort Myers Beach | a.strong #/claims/Dee Dee | span.pill.error Accepted · Late | span.line.muted 1420 Seagrape Lane, Fort Myers Beach`;
  asks`listBoardClaims environment=live&limit=200 | listBoardClaims environment=live&status=accepted&limit=200 | listBoardClaims environment=live&limit=200 | listBoardClaims environment=live&status=accepted&limit=200 | listBoardClaims environment=live&limit=200 | listBoardClaims environment=live&status=accepted&limit=200 | listBoardClaims environment=live&limit=200 | listBoardClaims environment=live&status=accepted&limit=200`;
});

test('planned offers are of the claims as they were shown, also where the board has others by then', async () => {
  const [ann, ben] = [row('Ann', {}), row('Ben', { status: 'rejected', test: true })];
  answers.listBoardClaims = pageOf('listBoardClaims', ann, ben);
  await go('#/');
  await look();
  await select('Ann', 'Ben');
  await press('Spread 2 claims');
  await tick(/^Free/);
  const planned = { adjuster_svc_id: 'Free', distance: null, warnings: [] };
  answers.spreadClaims = { offers: ['Ann', 'Ben'].map((id) => ({ id, ...planned })) };
  await press('Show who gets which');
  // Somebody else offers one, and the other is accepted.
  const changed = { updated_at: AT, adjuster_svc_id: 'SVC-3', claim_number: 'New' };
  answers.listBoardClaims = pageOf(
    'listBoardClaims',
    { ...ann, ...changed },
    { ...ben, ...changed, status: 'accepted', test: false },
  );
  await look();
  says`.board-row span.ids: New CMS-2026-004417 | New CMS-2026-004417`;
  await press('Offer 2 claims');
  sees`.offer-results: li data-state=done | a #/claims/Ann Ann · FL26-0093184 | span Offered to Free | li data-state=done | a #/claims/Ben Ben · FL26-0093184 | span Offered to Free`;
  const offered = sent.splice(0).filter((one) => one.startsWith('offerBoardClaim'));
  const body = JSON.stringify({ adjuster_svc_id: 'Free', updated_at });
  expect(offered).toEqual(
    ['Ann environment=live', 'Ben environment=test'].map((one) => `offerBoardClaim ${one} ${body}`),
  );
  await press('Hide what you did');
});

test('a person who signs out everywhere finds nothing of the firm, and why', async () => {
  await go('#/settings');
  answers.closeAllSessions = { refused: 503 };
  await press('Sign out everywhere');
  sees`.network, .toast: div status | span The service has a problem, which is not your connection. | p Something went wrong. Try again in a moment. | button label=Close`;
  delete answers.closeAllSessions;
  answers.getOwnStaff = refusal(401, 'invalid_session');
  await press('Sign out everywhere');
  sees`body: img src=/firm/icon.svg alt | h1 Sign in to your firm's desk | div.note-body You are signed out. | form | p We will email you a six-digit code. You do not nee… | input Your email autocomplete=email name=email inputmode=email required type=email | button.primary.wide type=submit Email me a code | div status`;
  asks`getClocks | listStaffSessions | closeAllSessions | closeAllSessions | getOwnStaff`;
});

test('what leads to a screen that a role does not have is not there', async () => {
  for (const [role, screen, leads] of [
    [
      'developer',
      'requests',
      'h1 Requests | a https://claims.example.com/docs/errors#validation_failed target=_blank rel=noreferrer | code validation_failed',
    ],
    [
      'auditor',
      'readiness/2026-08-29T14:00:00.000Z',
      'h1 Readiness | a /docs/readiness Read the guide | a #/requests/01990b5c-8f0d-4c6c-9a2b-6a1f0f4f7b21 Request | a #/requests/01990b5c-9311-4b6c-8a2b-2a1f0f4f7b22 Request',
    ],
  ] as const) {
    answers.getOwnStaff = example('getOwnStaff', { permissions: ROLE_PERMISSIONS[role] });
    answers.openSession = { expires_at: 'x' };
    delete answers.getFirmReadiness;
    await go('#/');
    await enter();
    await go(`#/${screen}`);
    is(page.shows('h1, main a'))([leads]);
    answers.getOwnStaff = refusal(401, 'invalid_session');
    await go('#/settings');
    await press('Sign out everywhere');
  }
});

test('a file that has changed or is gone is said, and its rows get the adjusters that were shown', async () => {
  answers.getOwnStaff = example('getOwnStaff', { permissions: ROLE_PERMISSIONS.admin });
  await enter();
  await go('#/upload');
  sent.splice(0);
  const sole = { row: 2, external_id: 'E0', outcome: 'valid', problems: [], needs_adjuster: null };
  const result = imported([sole]);
  const unnamed = { ...sole, needs_adjuster: { zip: '33931', state: 'FL', form_type: 'dwelling' } };
  const whole = { columns: [], fields: [], column: 'A', detail: 'No.' };
  answers.importClaims = { ...result, rows: [unnamed], problems: [whole], likely_header_row: 2 };
  const again = new File(['Claim #,A,B\n1,a,b\n'], 'again.csv');
  await choosesFile(again);
  sees`main .note, main .note p, main .note button: code A: | span lang=en No. | button.neutral Row 2 has the column names | code A: | span lang=en No. | button.neutral Row 2 has the column names | p 1 row has no adjuster and no other problem. | button.neutral Spread 1 claim | p 1 row has no adjuster and no other problem. | button.neutral Spread 1 claim`;
  await press('Row 2 has the column names');
  await choose('Separator', 'Pipe |');
  await choose('Row with the column names', 'The first row with text');
  await choose('Encoding', 'Windows');
  await press('Spread 1 claim');
  await tick(/^Free/);
  answers.spreadClaims = { offers: [{ id: '2', adjuster_svc_id: 'Free', distance: null, warnings: [] }] };
  await press('Show who gets which');
  says`dialog summary, dialog details li: Free: 1 claim | Row 2 · E0`;
  answers.importClaims = result;
  await press('Enter these adjusters in 1 row');
  const changed = jest.spyOn(again, 'arrayBuffer');
  changed.mockResolvedValueOnce(new TextEncoder().encode('Claim #\n1\n').buffer);
  await press('Send 1 claim');
  says`main .note: The file was changed after it was checked. Nothing was sent; it was checked again.`;
  changed.mockRejectedValueOnce(new DOMException('', 'NotReadableError'));
  await press('Send 1 claim');
  says`main .note: The file can no longer be read: it was changed or moved after you chose it. Nothing was sent. Choose it again.`;
  asks`importClaims {"adjusters":{},"name":"again","file_name":"again.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"header_row":2,"name":"again","file_name":"again.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"delimiter":"pipe","name":"again","file_name":"again.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,b\\n","environment":"live"} | importClaims {"adjusters":{},"delimiter":"pipe","name":"again","file_name":"again.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,b\\n","environment":"live"} | importClaims {"adjusters":{},"name":"again","file_name":"again.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,b\\n","delimiter":"comma","environment":"live"} | listBoardAdjusters environment=live&limit=200 | spreadClaims environment=live {"adjusters":[{"svc_id":"Free","given":0}],"claims":[{"id":"2","zip":"33931","state":"FL","form_type":"dwelling"}]} | importClaims {"adjusters":{"Free":[2]},"name":"again","file_name":"again.csv","dry_run":true,"text":"Claim #,A,B\\n1,a,b\\n","delimiter":"comma","environment":"live"} | importClaims {"adjusters":{},"name":"again","file_name":"again.csv","dry_run":true,"text":"Claim #\\n1\\n","delimiter":"comma","environment":"live"} | listImports environment=live&limit=20`;
});

test('what cannot be read again stays as it was, a choice is taken back, and a passkey of another device is asked for', async () => {
  const elsewhere = { id: 's9', current: false, device_name: 'Firefox on Windows', last_used_at: AT };
  answers.listStaffSessions = pageOf('listStaffSessions', {}, elsewhere);
  answers.updateOwnStaff = { ...Object(answers.getOwnStaff), late_offers_mail: 'daily' };
  await go('#/settings');
  for (let ticks = 0; ticks < 2; ticks += 1) await tick('Email me once a day when offers are late');
  await press(/^End Firefox/);
  sees`.toast: p The session has ended. | button label=Close`;
  await go('#/requests');
  for (const data of ['Live', 'Any']) await choose('Data', data);
  asks`getClocks | listStaffSessions | updateOwnStaff {"late_offers_mail":"daily"} | updateOwnStaff {"late_offers_mail":"off"} | endStaffSession s9 | listStaffSessions | listRequests limit=50 | listRequests environment=live&limit=50 | listRequests limit=50`;
  answers.getBoardClaim = { refused: 503 };
  await go('#/claims/late');
  sees`.split-claim h1, .toast: h1 Claim | p Something went wrong. Try again in a moment. | button label=Close`;
  delete answers.getBoardClaim;
  await press('Close');
  await look();
  answers.getBoardClaim = { refused: 503 };
  await look();
  sees`.split-claim h1, .toast: h1 Marisol Delgado`;
  answers.listBoardClaims = refusal(403, 'passkey_required');
  await look();
  sees`body: h1 Add a passkey to continue | p Your account has a passkey already. Sign out, and … | button.neutral Sign out | div status`;
  answers.getOwnStaff = refusal(401, 'invalid_session');
  await press('Sign out');
  sees`h1, .note-body: h1 Sign in to your firm's desk | div.note-body You are signed out.`;
});

test('a dialog names five claims and counts the others, a map of too many says so, a sheet of a workbook is chosen, and keys of who was removed stay shown', async () => {
  answers.getOwnStaff = example('getOwnStaff', { permissions: ROLE_PERMISSIONS.admin });
  const rows = Array.from({ length: 6 }, (_, n) => row(`C${n}`, {}));
  answers.listBoardClaims = pageOf('listBoardClaims', ...rows);
  await enter();
  await go('#/');
  await select('all shown');
  await press('Withdraw 6');
  says`dialog li: C0 · FL26-0093184 | C1 · FL26-0093184 | C2 · FL26-0093184 | C3 · FL26-0093184 | C4 · FL26-0093184 | +1`;
  await press('Cancel');
  sent.splice(0);
  // Which adjusters suit a claim is asked for one alone.
  await press('Offer 6');
  asks`listBoardAdjusters environment=live&limit=200`;
  await press('Cancel');
  answers.listBoardClaims = { ...pageOf('listBoardClaims', row('Ann', {})), next_cursor: 'more' };
  await go('#/map');
  says`main .note: The first 2 claims are shown: those that wait longest, and the latest accepted ones.`;
  const sheets = ['Cover', 'Claims'].map((name) => ({ name, rows: [['Claim #'], [name]] }));
  await go('#/upload');
  sent.splice(0);
  await choosesFile(new File([workbookOf({ sheets }).slice()], 'book.xlsx'));
  await choose('Sheet', 'Claims');
  asks`importClaims {"adjusters":{},"name":"book","file_name":"book.xlsx","dry_run":true,"text":"Claim #\\r\\nCover","delimiter":"tab","environment":"live"} | importClaims {"adjusters":{},"name":"book","file_name":"book.xlsx","dry_run":true,"text":"Claim #\\r\\nClaims","delimiter":"tab","environment":"live"}`;
  const left = { id: 's2', name: 'Ann', working_keys: 2 };
  answers.listStaff = pageOf('listStaff', left, { id: 's3', name: 'Ben', working_keys: 0 });
  await go('#/people');
  for (const name of ['Ann', 'Ben']) for (const act of [`Remove ${name}`, 'Remove']) await press(act);
  sees`[role=alert] button: button.neutral label=Revoke all keys of Ann Revoke all`;
});
