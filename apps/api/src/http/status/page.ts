import { createHash } from 'node:crypto';
import { toDateTime } from '@svc/application';
import type { DocsAddresses } from '../docs/files.ts';
import { type PageRoute, pageRoute } from '../routes/page-route.ts';
import type { PartName, ServiceStatus, StatusMonitor } from './status.ts';

const PARTS: Readonly<Record<PartName, { readonly title: string; readonly effect: string }>> = {
  api: { title: 'API', effect: 'The service is shutting down; requests get 503.' },
  database: {
    title: 'Database',
    effect: 'Requests get 503 with Retry-After. Nothing that was accepted is lost.',
  },
  redis: {
    title: 'Rate limits',
    effect: 'Every request works. Rate limits are counted by each server process alone.',
  },
};

const RESTORE_EFFECT =
  'Later changes are lost. Polling delivers the affected claims once more; send claims again that were sent after this time.';

const TITLES: Readonly<Record<ServiceStatus['status'], string>> = {
  up: 'All parts are up',
  degraded: 'Up, with degraded parts',
  down: 'Down',
};

/** Colors and bar of the documentation, without its files: the page works while they cannot be read. */
const STYLE =
  ':root{color-scheme:light dark;--text:#3c3c43;--soft:#67676c;--line:#e2e2e3;--link:#0b6e8f;--up:#18794e;--degraded:#915930;--down:#b8272c}' +
  '@media(prefers-color-scheme:dark){:root{--text:#dfdfd6;--soft:#98989f;--line:#2e2e32;--link:#5cc0de;--up:#3dd68c;--degraded:#f9b44e;--down:#f66f81;background:#1b1b1f}}' +
  'body{margin:0;color:var(--text);font:1rem/1.75 Inter,system-ui,sans-serif}a{color:var(--link)}time{white-space:nowrap}' +
  'header{display:flex;justify-content:space-between;align-items:center;height:4rem;padding:0 2rem;border-bottom:1px solid var(--line)}header a{text-decoration:none}header strong{font-weight:600}' +
  'main{max-width:43rem;margin:0 auto;padding:3rem 1.5rem}h1{margin:0;font-size:2rem;line-height:1.25;letter-spacing:-.02em}p{color:var(--soft)}' +
  'table{border-collapse:collapse;width:100%;margin:1.5rem 0;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.5rem 1rem .5rem 0;border-bottom:1px solid var(--line)}th{font-weight:600}' +
  '.up{color:var(--up)}.degraded{color:var(--degraded)}.down{color:var(--down)}@media(max-width:30rem){header{padding:0 1.5rem}th,td{padding-right:.5rem}td time{white-space:normal}}';
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** What is up and since when, as HTML or JSON. It is 200 also while parts are down. */
export const statusPage = ({
  status: monitor,
  addresses,
}: {
  readonly status: StatusMonitor;
  readonly addresses: DocsAddresses;
}): PageRoute =>
  pageRoute('/status', async (request, response) => {
    const { status, since, parts, restore } = await monitor.check();
    response.vary('Accept');
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.accepts(['json', 'html']) === 'html') {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
      response.end(pageOf({ status, since, parts, restore }, addresses));
      return;
    }
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        status,
        since: toDateTime(since),
        parts: parts.map(({ name, up, since: at }) => ({
          name,
          status: up ? 'up' : 'down',
          since: toDateTime(at),
          ...(!up && { effect: PARTS[name].effect }),
        })),
        ...(restore !== null && {
          restore: { to: toDateTime(restore.to), at: toDateTime(restore.at), effect: RESTORE_EFFECT },
        }),
        support: addresses.supportEmail,
      }),
    );
  });

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** To the second, for people; the JSON has the exact time. */
const timeElement = (at: number): string => {
  const exact = toDateTime(at);
  return `<time datetime="${exact}">${exact.slice(0, 19).replace('T', ' ')} UTC</time>`;
};

function pageOf(
  { status, since, parts, restore }: ServiceStatus,
  { docsUrl, supportEmail }: DocsAddresses,
): string {
  const rows = parts.map(
    ({ name, up, since: at }) =>
      `<tr><th scope="row">${PARTS[name].title}</th><td>${up ? '<span class="up">up</span>' : `<span class="down">down.</span> ${PARTS[name].effect}`}</td><td>${timeElement(at)}</td></tr>`,
  );
  const notice =
    restore === null
      ? ''
      : `<p>The service was restored to ${timeElement(restore.to)}. ${RESTORE_EFFECT}</p>\n`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="30"><title>Status: ${TITLES[status]}</title><style>${STYLE}</style></head>
<body><header><strong>Claim Assignment</strong><a href="${escaped(docsUrl)}">Documentation</a></header>
<main><h1 class="${status}">${TITLES[status]}</h1><p>Since ${timeElement(since)}, as observed by the process that responds.</p>
<table><thead><tr><th scope="col">Part</th><th scope="col">Status</th><th scope="col">Since</th></tr></thead>
<tbody>${rows.join('')}</tbody></table>
${notice}<p><a href="${escaped(docsUrl)}/support">Support</a>: <a href="mailto:${escaped(encodeURIComponent(supportEmail).replace('%40', '@'))}">${escaped(supportEmail)}</a></p></main></body></html>
`;
}
