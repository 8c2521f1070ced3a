/** The version in package.json, which the client cannot read at run time on every platform. A test compares them. */
export const VERSION = '0.2.0';
