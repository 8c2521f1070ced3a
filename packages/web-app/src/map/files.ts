import { createFile } from '../load-once.ts';
import outlinesUrl from './outlines.bin?url';
import { decodeOutlines } from './outlines.ts';
import zipPlacesUrl from './zip-places.bin?url';
import { decodeZipPlaces } from './zip-places.ts';

export const loadOutlines = createFile(outlinesUrl, decodeOutlines);
export const loadZipPlaces = createFile(zipPlacesUrl, decodeZipPlaces);
