// White space, control characters and what Unicode draws as nothing; U+2800 and U+FFF9 to U+FFFB have no property for it.
const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;

/** Whether the text shows nothing when it is printed. */
export const isBlank = (value: string): boolean => BLANK.test(value);
