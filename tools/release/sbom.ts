// `pnpm release:bill`: the bill of materials of what the service runs and what its pages contain.
import { writeFileSync } from 'node:fs';
import { billOfMaterials } from './bill.ts';

const bill = billOfMaterials();
writeFileSync('sbom.cdx.json', `${JSON.stringify(bill, null, 2)}\n`);
process.stdout.write(`sbom.cdx.json: ${bill.components.length} components\n`);
