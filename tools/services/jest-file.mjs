// Runs one test file in a worker of jest-runner.mjs.
import { pathToFileURL } from 'node:url';
import { createEmptyTestResult } from '@jest/test-result';
import { resetState, run } from 'jest-circus';
import { formatResultsErrors } from 'jest-message-util';
import * as globals from './jest-globals.mjs';

const STATUS = { skip: 'pending', todo: 'todo' };
const variables = { ...process.env };

export async function runFile(path, config, options) {
  resetState();
  globals.configure(options);
  const { endWhatTestsStart } = await import('./at-end.ts');
  endWhatTestsStart(globals);
  const start = Date.now();
  await import(pathToFileURL(path).href);
  const { testResults, unhandledErrors } = await run();
  const end = Date.now();
  restoreVariables();

  const results = testResults.map((result) => {
    // Without the root block.
    const [title, ...blocks] = result.testPath.slice(1).reverse();
    const ancestorTitles = blocks.reverse();
    return {
      ...result,
      status: STATUS[result.status] ?? (result.errors.length > 0 ? 'failed' : 'passed'),
      ancestorTitles,
      title,
      fullName: [...ancestorTitles, title].join(' '),
      failureMessages: result.errors,
      failureDetails: [],
    };
  });
  const count = (status) => results.filter((result) => result.status === status).length;
  const messages = [
    ...unhandledErrors,
    formatResultsErrors(results, config, { noStackTrace: false }, path) ?? '',
  ];
  return {
    ...createEmptyTestResult(),
    testFilePath: path,
    displayName: config.displayName,
    perfStats: {
      start,
      end,
      runtime: end - start,
      slow: end - start > config.slowTestThreshold * 1000,
      loadTestEnvironmentStart: start,
      loadTestEnvironmentEnd: start,
      setupFilesStart: start,
      setupFilesEnd: start,
    },
    testResults: results,
    numPassingTests: count('passed'),
    numFailingTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    failureMessage: messages.join('\n').trim() || null,
    ...(unhandledErrors.length > 0 && {
      testExecError: { message: unhandledErrors.join('\n'), stack: unhandledErrors.join('\n') },
    }),
  };
}

/** Restores what a test file may have changed for the next one. */
function restoreVariables() {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}
