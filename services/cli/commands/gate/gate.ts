import { Command } from 'commander';
import { openAdminApi } from '../../admin-api.ts';
import { jsonOption, printJson } from '../../print-json.ts';
import { readNames } from '../scan/admin-api.ts';
import { openRepository } from '../scan/git/repository.ts';
import type { TrackedFile } from '../scan/git/tracked-files.ts';
import { findCalls } from '../scan/search/find-calls.ts';
import { createSearch } from '../scan/search/find-places.ts';
import { createPlaces } from '../scan/search/gather-places.ts';
import { searchFiles } from '../scan/search/search-files.ts';
import { readChangedFiles } from './changed-files.ts';
import { requireEnvironment } from './environments.ts';
import { type Features, featuresOf, findingsOn } from './findings.ts';
import { DEFAULT_REASONS, type Reason, REASONS, parseReasons } from './reasons.ts';
import { type Gated, documentOf, hasFailed, textOf } from './text.ts';
import { selectFiles, unexaminedOf } from './unexamined.ts';

type Options = {
  readonly in: string;
  readonly url?: string;
  readonly failOn: readonly Reason[];
  readonly environment?: string;
  readonly ignore: readonly string[];
  readonly json: boolean;
};

const FAIL_ON = `what ends with 1: ${REASONS.join(', ')}`;

/** The token comes from the environment, because every user of the machine can see the arguments of a process. */
export function createGateCommand({ env }: { readonly env: NodeJS.ProcessEnv }): Command {
  return new Command()
    .argument('[path]', 'a folder of the repository', '.')
    .requiredOption('--in <file>', 'the changed files, one path a line from the root; - is standard input')
    .option('--url <url>', 'address of the admin API; default: FLAGMETER_URL')
    .option('--fail-on <reasons>', FAIL_ON, parseReasons, DEFAULT_REASONS)
    .option('--environment <name>', 'only verdicts on this environment')
    .option('--ignore <names>', 'names that are not examined, comma separated', toNames, [])
    .addOption(jsonOption())
    .action(async (path: string, options: Options) => {
      const api = openAdminApi(env, options.url);
      const changed = await readChangedFiles(options.in);
      if (options.environment !== undefined) await requireEnvironment(api, options.environment);
      const repository = await openRepository(path, env);
      const { files, untracked } = await selectFiles(repository, changed, await repository.listFiles(''));
      const features = featuresOf(await readNames(api, undefined));
      const searched = findCallsIn(repository.root, files, { features, ignored: new Set(options.ignore) });
      const asked = { features, environment: options.environment };
      const gated: Gated = {
        ...searched,
        changed: changed.length,
        unexamined: [...untracked, ...searched.files.unsearched.map(unexaminedOf)],
        findings: await findingsOn(api, searched.places, asked),
        failOn: new Set(options.failOn),
      };
      if (options.json) printJson(documentOf(gated));
      else console.log(textOf(gated));
      if (hasFailed(gated)) process.exitCode = 1;
    });
}

function toNames(list: string): string[] {
  return list.split(',').map((name) => name.trim());
}

type Searched = { readonly features: Features; readonly ignored: ReadonlySet<string> };

function findCallsIn(root: string, tracked: readonly TrackedFile[], { features, ignored }: Searched) {
  const { findPlaces } = createSearch([...features.keys()]);
  // Calls that are left out are repetitions, so that every name is examined.
  const places = createPlaces({ maxPlaces: Number.POSITIVE_INFINITY, maxPath: Number.POSITIVE_INFINITY });
  const files = searchFiles(root, tracked, {
    findPlaces: (file, text) => [
      ...findPlaces(file, text).filter(({ kind }) => kind === 'call'),
      ...findCalls(file, text).filter(({ name }) => !features.has(name)),
    ],
    onPlace: (place) => {
      if (!ignored.has(place.name)) places.add(place);
    },
    onFile: () => undefined,
  });
  return { files, ...places.result() };
}
