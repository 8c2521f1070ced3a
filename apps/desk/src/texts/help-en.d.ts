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
declare const screens: {
  board: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  claim: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  adjusters: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  map: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  upload: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  reports: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  keys: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  requests: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  sandbox: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  webhooks: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  readiness: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  audit: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  people: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
  settings: {
    purpose: string;
    words: [string, string][];
    trouble: [string, string][];
    who: string;
    guide: string;
  };
};
export declare const helpEn: {
  trouble: string;
  who: string;
  screens: Readonly<Record<keyof typeof screens, HelpText>>;
};
export type Help = typeof helpEn;
