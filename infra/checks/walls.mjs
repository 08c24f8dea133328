// Checks who imports whom (.dependency-cruiser.cjs). A cruise that reads no modules reports success, so count them.
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const options = await extractOptions('./.dependency-cruiser.cjs');
const { output } = await cruise(['packages', 'services', 'infra', 'test'], options, undefined, {
  tsConfig: extractTSConfig('tsconfig.json'),
});
const { violations, totalCruised } = output.summary;
for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} -> ${to}`);
console.log(`${totalCruised} modules and dependencies cruised, ${violations.length} walls broken`);
if (violations.length > 0 || totalCruised < 50) process.exit(1);
