// Whitespace, control and invisible characters; no Unicode property covers U+2800 and U+FFF9 to U+FFFB.
const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;

/** Whether the text has no visible character. */
export const isBlank = (value: string): boolean => BLANK.test(value);
