import { serve } from './serve.ts';

const { env, stdout, stderr } = process;
void serve({ env, stdout, stderr, signals: process, exit: (code) => process.exit(code) });
