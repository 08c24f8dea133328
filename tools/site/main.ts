import path from 'node:path';
import { buildSite } from './site.ts';

/** `make site`: the documents as pages in `.local/site`, with their pictures. */
const FOLDER = path.resolve(import.meta.dirname, '../../.local/site');
await buildSite(FOLDER, { form: 'site' });
console.log(`${FOLDER}/index.html`);
