import { defineConfig } from 'prisma/config';

// Generating the client needs no engine, but would download the one for migrations. A file that exists is not replaced.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'schema.prisma' });
