// Lets a worker import TypeScript, and `@jest/globals`, which Jest provides only in its own module system.
import { register } from 'node:module';
import { register as registerTypeScript } from 'tsx/esm/api';

registerTypeScript();
const hook = `export const resolve = (specifier, context, next) =>
  next(specifier === '@jest/globals' ? ${JSON.stringify(new URL('./jest-globals.mjs', import.meta.url).href)} : specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
