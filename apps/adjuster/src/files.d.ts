/** Its types do not belong to this path in its package.json. */
declare module 'fake-indexeddb/auto';
