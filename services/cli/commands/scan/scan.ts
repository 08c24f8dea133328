import { Command, Option } from 'commander';
import { FlagmeterError, amountOf } from '#base/runtime';
import {
  MAX_PATH_LENGTH,
  MAX_REFERENCES,
  type Push,
  type SearchedName,
} from '../../../admin/advice/code-references/index.ts';
import { type AdminApi, openAdminApi } from '../../admin-api.ts';
import { createProgress } from '../../progress.ts';
import { push, readNames } from './admin-api.ts';
import { type Repository, openRepository } from './git/repository.ts';
import { jsonOf } from './output/json.ts';
import { sarifOf } from './output/sarif.ts';
import { textOf } from './output/text.ts';
import { withoutControls } from './without-controls.ts';
import { createSearch } from './search/find-places.ts';
import { createPlaces } from './search/gather-places.ts';
import { searchFiles } from './search/search-files.ts';
import { REASONS, type Unsearched, isLost } from './search/unsearched.ts';
import type { Scan } from './scanned.ts';

type Options = {
  readonly url?: string;
  readonly format: keyof typeof FORMATS;
  readonly project?: string;
  readonly push?: boolean;
  readonly repository?: string;
  readonly branch?: string;
  readonly link?: string;
};

const FORMATS = { text: textOf, json: jsonOf, sarif: sarifOf } as const;

/** The token comes from the environment, because every user of the machine can see the arguments of a process. */
export function createScanCommand({ env }: { readonly env: NodeJS.ProcessEnv }): Command {
  return new Command()
    .argument('[path]', 'a folder of the repository', '.')
    .option('--url <url>', 'address of the admin API; default: FLAGMETER_URL')
    .option('--project <id>', 'only features of this project')
    .addOption(new Option('--format <format>').choices(Object.keys(FORMATS)).default('text'))
    .option('--push', 'replace the references that flagmeter has of this repository and branch')
    .option('--repository <name>', 'name of the repository; default: from the address of origin')
    .option('--branch <name>', 'default: the branch that is checked out')
    .option('--link <template>', 'address of a line, with {commit}, {path} and {line}; default: from origin')
    .action(async (path: string, options: Options) => {
      const api = openAdminApi(env, options.url);
      const repository = await openRepository(path, env);
      const head = options.push === true ? await pushedOf(repository, options) : undefined;
      const scan = await scanRepository(repository, await readNames(api, options.project));
      console.log(FORMATS[options.format]({ ...scan, ...(head ?? namedOf(repository, options)) }));
      if (head === undefined) return;
      refuseLost(scan.files.unsearched);
      await pushScan(api, { head, scan });
    });
}

type Head = Pick<Scan, 'repository' | 'branch' | 'commit' | 'link'>;
type Pushed = { readonly [member in 'repository' | 'branch' | 'commit' | 'committedAt']: string } & Pick<
  Scan,
  'link'
>;

function namedOf({ origin, branch, commit }: Repository, options: Options): Head {
  return {
    repository: options.repository ?? origin?.name,
    branch: options.branch ?? branch,
    commit,
    link: options.link ?? origin?.link,
  };
}

/** Throws an error of wrong usage if something is not known that a push needs. */
async function pushedOf(opened: Repository, options: Options): Promise<Pushed> {
  const { repository, branch, commit, link } = namedOf(opened, options);
  const usage = (message: string) => new FlagmeterError('usage', message);
  if (opened.prefix !== '') throw usage(`--push replaces the whole repository: scan ${opened.root}`);
  if (repository === undefined) throw usage('--repository is needed: origin has no address that names it');
  if (branch === undefined) throw usage('--branch is needed: no branch is checked out');
  const { committedAt } = opened;
  if (commit === undefined || committedAt === undefined)
    throw usage('the repository has no commit yet, or the commit has no possible time');
  if (await opened.isChanged())
    process.stderr.write(
      'The files differ from the commit, so lines may differ from those behind the links.\n',
    );
  return { repository, branch, commit, committedAt, link };
}

type Found = Omit<Scan, keyof Head>;

async function scanRepository(repository: Repository, names: readonly SearchedName[]): Promise<Found> {
  const files = await repository.listFiles(repository.prefix);
  const { findPlaces, unsearchable } = createSearch(names.map(({ name }) => name));
  const places = createPlaces({ maxPlaces: MAX_REFERENCES, maxPath: MAX_PATH_LENGTH });
  const progress = createProgress();
  try {
    const searched = searchFiles(repository.root, files, {
      findPlaces,
      onPlace: (place) => {
        places.add(place);
      },
      onFile: (count) => {
        progress.show(`${count} of ${amountOf(files.length, 'file')}`);
      },
    });
    return { names, unsearchable, files: searched, ...places.result() };
  } finally {
    progress.end();
  }
}

/** A push replaces what is stored, so places in these files would look removed. */
function refuseLost(unsearched: readonly Unsearched[]): void {
  const lost = unsearched.filter(isLost);
  const [first] = lost;
  if (first === undefined) return;
  throw new FlagmeterError(
    'usage',
    `nothing was pushed, because ${amountOf(lost.length, 'tracked file')} could not be read, for example ${withoutControls(first.path)} (${REASONS[first.reason]}): check out all files, with git sparse-checkout disable and git restore --staged --worktree .`,
  );
}

async function pushScan(api: AdminApi, { head, scan }: { head: Pushed; scan: Found }): Promise<void> {
  const { link, ...named } = head;
  const references = scan.places.map(({ name, path, line, kind }) => ({
    featureName: name,
    path,
    line,
    kind,
  }));
  const body: Push = { ...named, linkTemplate: link ?? null, leftOut: scan.leftOut, references };
  await push(api, body);
  const of = withoutControls(`${head.repository}, ${head.branch}`);
  process.stderr.write(`Pushed ${amountOf(references.length, 'place')} of ${of}.\n`);
}
