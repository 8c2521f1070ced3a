/** The help of one screen. The guide to the desk in the documentation is made of the English ones. */
export interface HelpText {
  readonly purpose: string;
  /** What columns, states and buttons mean. */
  readonly words: readonly HelpPoint[];
  /** What goes wrong, and what to do then. */
  readonly trouble: readonly HelpPoint[];
  readonly who: string;
  /** A page of the documentation. */
  readonly guide: string;
}
export type HelpPoint = readonly [term: string, text: string];

const screens = {
  board: {
    purpose:
      'Your open claims, those that somebody has to look at first: rejected and unassigned ones, then the longest wait. It shows changes within seconds; you do not have to load it again.',
    words: [
      ['Offered', 'the adjuster has not answered yet.'],
      ['Late', 'offered, and without an answer for longer than your firm waits.'],
      ['Accepted', 'the adjuster has it. It leaves this list; choose Accepted under Show to see it.'],
      ['Rejected', 'the adjuster does not take it. Offer it to somebody else.'],
      ['Unassigned', 'the offer ended without an answer, such as when the adjuster left the firm.'],
      ['Waits', 'since the offer, or since the claim has been without one.'],
      [
        'Search',
        'finds names, streets, cities, states, the start of ZIP codes, phone and policy numbers, the end of other numbers, and adjusters.',
      ],
      ['Offer', 'one claim, or all that you select. An offer that another adjuster has not answered ends.'],
      ['J, K', 'next, previous claim'],
      ['Enter', 'open the claim'],
      ['X', 'select it; with Shift, all from the last one'],
      ['O', 'offer the selected claims, or the current one'],
      ['/', 'search'],
      ['?', 'this help'],
    ],
    trouble: [
      [
        'A claim is missing',
        'look under Show for accepted and closed ones, and at Live and Test in the menu.',
      ],
      ['No response to an offer', 'press Try again: a claim cannot be offered twice that way.'],
      [
        'The claim has changed',
        'somebody else offered it, or it was answered, after you read it. Look at it and decide again.',
      ],
      [
        'No adjuster answers',
        'open the claim: it shows whether the notification arrived and the offer was seen. Then call.',
      ],
    ],
    who: 'Administrators and dispatchers offer claims. Auditors read them.',
    guide: 'offering-again',
  },
  claim: {
    purpose:
      'One claim: every offer of it, all that was sent, and its receipt. It prints on one or two pages.',
    words: [
      ['Offers', 'the latest first, each with who made it, when it was seen, and how it ended.'],
      ['Device, Email', 'whether the notification reached the service of the phone or the mail server.'],
      ['Seen', 'when the offer was first shown in the app of the adjuster.'],
      ['Withdrawn', 'the offer ended before an answer, such as when the claim was offered to somebody else.'],
      ['Receipt', 'a signed file about the latest offer, without names. Anybody can verify it.'],
    ],
    trouble: [
      [
        'Not seen',
        'the phone may be off, or without a network. The offer waits in the app; call the adjuster.',
      ],
      [
        'No longer registered',
        'that device gets no notifications. The adjuster turns them on again in the app.',
      ],
      ['A detail is wrong', 'a claim that was sent cannot be changed. Tell the adjuster.'],
    ],
    who: 'Administrators and dispatchers offer the claim. Auditors read it and its receipt.',
    guide: 'receipts',
  },
  adjusters: {
    purpose: 'The adjusters of your firm, those who are free first, and the people you have invited.',
    words: [
      ['SVCID', 'the id of an account, which the app shows to every adjuster. You invite by it.'],
      ['Invited', 'the person has not answered. Until then nobody of them sees a claim of yours.'],
      ['Active', 'a member, who can be offered claims.'],
      ['Paused', 'a member who takes no offers at the moment. Only the adjuster changes that.'],
      ['May not accept claims', 'the operator has blocked it.'],
      ['Declined, Expired, Withdrawn', 'the invitation ended. You can invite again.'],
      [
        'Open offers, open claims',
        'what the adjuster has not answered, and what was accepted and is not closed.',
      ],
      ['Median time to answer', 'half of the answers came sooner.'],
    ],
    trouble: [
      ['There is no adjuster with this SVCID', 'ask for it again: capital and small letters differ.'],
      [
        'An invitation is not answered',
        'it waits in the app, under Firms. Names and an email address must be filled in there first.',
      ],
      ['An adjuster has to go at once', 'ask the operator: svc member remove takes effect within a second.'],
    ],
    who: 'Administrators and dispatchers invite and withdraw invitations. Auditors read the list. Only the adjuster or the operator ends a membership.',
    guide: 'inviting-adjusters',
  },
  map: {
    purpose: 'Where your open claims are: those that wait for an adjuster, and accepted ones.',
    words: [
      ['A marker', 'claims in one or several ZIP codes, at the centers of these. Choose it to list them.'],
      ['Places', 'come from a table in the page. No address is sent to a map service.'],
    ],
    trouble: [
      ['Claims without a place', 'their ZIP code is not in the table. They are on the board.'],
      ['The first claims are shown', 'the map has no room for more. The board lists all.'],
    ],
    who: 'Administrators, dispatchers and auditors see it.',
    guide: 'desk',
  },
  upload: {
    purpose:
      'Sends claims from a file of your system or a spreadsheet. Every row is checked first, and nothing is sent before you press Send.',
    words: [
      [
        'Please answer',
        'what the file does not show by itself, such as which of two columns is the address of the loss.',
      ],
      ['Without problems', 'can be sent.'],
      ['With problems', 'is left out. The list says row, column and what to change.'],
      ['Sent', 'a claim, and an offer to its adjuster.'],
      ['Sent before', 'the claim exists with the same content. Nothing was sent twice.'],
      ['Not sent', 'refused when it was sent, such as for a limit of the adjuster. The list says why.'],
      ['The adjuster', 'may be named by SVCID, name or email address.'],
      ['The same for all rows', 'gives a field that has no column one value.'],
    ],
    trouble: [
      ['The upload stopped', 'press Resume, or send the same file again: no claim is sent twice.'],
      [
        'Many rows have problems',
        'download the problems, correct the file, and choose it again. Or send the good rows first.',
      ],
      [
        'A claim exists with other content',
        'it stays as it is, and the check names what differs. A new external id makes another claim.',
      ],
      ['Letters look wrong', 'choose another encoding.'],
    ],
    who: 'Administrators and dispatchers upload.',
    guide: 'sending-claims',
  },
  reports: {
    purpose: 'How offers ended and how soon they were answered, by adjuster, week or carrier.',
    words: [
      ['Offers', 'those made in the period, each counted once, also when a claim was offered several times.'],
      ['Withdrawn', 'ended before an answer, such as by an offer to somebody else.'],
      ['Median time to answer', 'half of the answers came sooner. Only accepted and rejected offers count.'],
      ['Part of the week', 'the period begins or ends within this week.'],
    ],
    trouble: [
      ['Numbers differ from the board', 'the board counts claims, a report counts offers.'],
      ['Another office sees other weeks', 'weeks are those of the time zone of your computer.'],
    ],
    who: 'Administrators, dispatchers and auditors read and download them.',
    guide: 'desk',
  },
  keys: {
    purpose:
      'The keys with which programs of your firm reach the service, and what they have used of their limits.',
    words: [
      ['Live, Test', 'real claims, or test data. A test key reaches no real claim.'],
      ['What for', 'what a program with the key may do.'],
      ['Replace', 'makes a new key; the old one works for as long as you choose.'],
      ['Revoke', 'ends a key within a second.'],
      ['Made by a person who was removed', 'that person may know the key. Replace or revoke it.'],
    ],
    trouble: [
      [
        'A key may be known to others',
        'revoke it now, create another, and look at Requests for what it did.',
      ],
      ['The secret is lost', 'nobody can show it again. Replace the key.'],
      [
        'Requests are rate limited',
        'programs that wait as the response says lose nothing. The operator raises limits.',
      ],
    ],
    who: 'Administrators make all keys. Developers make test keys. Auditors see the list, without secrets.',
    guide: 'keys',
  },
  requests: {
    purpose:
      'What your programs asked for in the last 14 days, and what was wrong. What they sent is not kept.',
    words: [
      ['Request id', 'in every response, and in the message of an error. Search for it.'],
      ['Error code', 'says what went wrong; the documentation has a cause and a fix for each.'],
      ['Disconnected', 'the program did not wait for the response. What it asked for may have happened.'],
    ],
    trouble: [
      ['A request is not here', 'it had no valid key, or did not reach the service.'],
      ['Many errors 429', 'the program sends faster than its key may. See Keys.'],
    ],
    who: 'Administrators, developers and auditors read it.',
    guide: 'errors',
  },
  sandbox: {
    purpose:
      'Simulates adjusters, failures and a storm for a program that you are building. It reaches test data alone.',
    words: [
      ['Test key', 'stays in the memory of this page, and is gone when you close it.'],
      ['Test accounts', 'adjusters that do not exist. The end of the SVCID says what each does.'],
      [
        'Your next requests',
        'fail in the way that you choose, so that you see whether your program tries again.',
      ],
      ['Rehearse a storm', 'acts for adjusters while your own system sends and polls.'],
    ],
    trouble: [
      ['The key is not taken', 'a test key starts with svc_test_. Create one under Keys.'],
      ['A rehearsal is slow', 'browsers slow down hidden tabs: leave this one visible.'],
    ],
    who: 'Administrators and developers use it.',
    guide: 'test-accounts',
  },
  webhooks: {
    purpose:
      'Addresses of your systems that the service calls when claims have changed, so that they poll at once.',
    words: [
      ['Active', 'called at most once a second. The call has nothing of a claim in it.'],
      ['Paused', 'not called: by a person, since it answered 410, or after three days of failures.'],
      ['Secret', 'proves to your system that a call is from here. It is shown once.'],
      ['Deliveries', 'the latest calls, each with the response.'],
    ],
    trouble: [
      [
        'Calls fail',
        'nothing is lost: your system polls. Open Deliveries for the reason, and press Send a test.',
      ],
      ['Not a public address', 'the service calls no address of a private network.'],
    ],
    who: 'Administrators and developers change them. Auditors read them.',
    guide: 'webhooks',
  },
  readiness: {
    purpose: 'Checks what your programs did with test keys, before they get live keys.',
    words: [
      ['Passed', 'done right at least once, and never wrong in the period.'],
      ['Failed', 'done wrong. The findings name the requests.'],
      ['Not seen yet', 'your program has not met this. A rehearsal in the Sandbox makes it happen.'],
    ],
    trouble: [
      [
        'It stays failed after a fix',
        'choose a shorter period, or start a rehearsal and check since its start.',
      ],
    ],
    who: 'Administrators, developers and auditors read it.',
    guide: 'readiness',
  },
  audit: {
    purpose: 'Who did what, and when, in your firm: at this desk, in the app, by a key, by the operator.',
    words: [
      ['Who', 'a person of the desk, a key, an adjuster, the operator or the service.'],
      ['Refused', 'somebody tried it and was not allowed to.'],
      ['Verify', 'computes the chain of the rows again, and says whether one was changed or removed.'],
      ['Export', 'the rows that the filters find, as a file with one row per line.'],
    ],
    trouble: [
      [
        'The trail is broken',
        'keep an export, and write to the operator at once with the number of the row.',
      ],
      ['The file is incomplete', 'export by month, or ask the operator for the rest.'],
    ],
    who: 'Administrators and auditors read, verify and export it.',
    guide: 'desk',
  },
  people: {
    purpose: 'Who may use this desk, and with which role.',
    words: [
      ['Administrator', 'everything.'],
      ['Dispatcher', 'claims, adjusters, uploads and reports.'],
      ['Developer', 'test keys, requests, the sandbox and webhooks, and no claim.'],
      ['Auditor', 'reads everything but people and secrets.'],
      ['Invited', 'has not signed in yet.'],
    ],
    trouble: [
      [
        'The person gets no code',
        'the address must be the one written here. The mail may be in the folder for spam, or late.',
      ],
      ['Somebody left the firm', 'remove the person, then look at Keys for what they may know.'],
      ['The last administrator stays', 'make somebody else an administrator first.'],
    ],
    who: 'Administrators only.',
    guide: 'desk',
  },
  settings: {
    purpose: 'Your own account: language, colors, passkeys, and where you are signed in.',
    words: [
      ['Passkey', 'signs you in with the lock of your device instead of an emailed code.'],
      ['Sessions', 'browsers in which you are signed in. End those that you do not know.'],
      ['Late offers', 'one mail a day while an offer waits too long.'],
    ],
    trouble: [
      ['A computer was lost', 'press Sign out everywhere.'],
      [
        'You cannot sign in',
        'an administrator checks the address under People; the operator can open a session.',
      ],
    ],
    who: 'Everybody, for their own account.',
    guide: 'desk',
  },
} satisfies Readonly<Record<string, HelpText>>;

export const helpEn = {
  trouble: 'When something is wrong',
  who: 'Who may do what',
  screens: screens as Readonly<Record<keyof typeof screens, HelpText>>,
};
export type Help = typeof helpEn;
