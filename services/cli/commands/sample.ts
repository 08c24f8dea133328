import { Command, Option } from 'commander';
import { suspendVerdicts } from '#base/postgres';
import { reachEngines, withLockedEngines } from '#tooling/operations';
import { type Config, FlagmeterError, type Log, amountOf } from '#base/runtime';
import {
  type OtherData,
  type SampleStores,
  type StoredSample,
  fillSample,
  readOtherData,
  readSample,
  removeSample,
} from '../sample/index.ts';
import { insertDocument } from '../../admin/doors/exchange/index.ts';
import { type Progress, createProgress } from '../progress.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };
type Options = { readonly remove: boolean; readonly besideRealData: boolean };

export function createSampleCommand({ log, readConfig }: Environment): Command {
  return new Command()
    .addOption(new Option('--remove', 'remove the sample, and nothing else').default(false))
    .addOption(
      new Option('--beside-real-data', 'make it although flagmeter already holds other data').default(false),
    )
    .action(async ({ remove, besideRealData }: Options) => {
      const config = readConfig();
      const progress = createProgress();
      await reachEngines(config, ['Postgres', 'ClickHouse'], log);
      try {
        const text = await withLockedEngines(config, log, (stores) =>
          suspendVerdicts(config.postgres, () =>
            remove ? removeStored(stores) : make(stores, { isBeside: besideRealData, progress }),
          ),
        );
        progress.end();
        console.log(text);
      } finally {
        progress.end();
      }
    });
}

async function removeStored(stores: SampleStores): Promise<string> {
  const stored = await readSample(stores);
  if (stored === undefined) return 'There is no sample. Nothing was changed.';
  await removeSample(stores, stored);
  return 'The sample was removed. Nothing else was changed.';
}

type Making = { readonly isBeside: boolean; readonly progress: Progress };

/** Makes the sample, or completes an interrupted one. */
async function make(stores: SampleStores, { isBeside, progress }: Making): Promise<string> {
  const stored = await readSample(stores);
  if (stored?.isComplete === true) return already(stored);
  if (stored === undefined) failIfMixed(await readOtherData(stores), isBeside);
  const madeAt = stored?.madeAt ?? Math.floor(Date.now() / 1000) * 1000;
  await fillSample(stores, {
    madeAt,
    insertDocument,
    onProgress: (text) => {
      progress.show(text);
    },
  });
  return MADE;
}

function failIfMixed({ features, applications, takenNames }: OtherData, isBeside: boolean): void {
  const [taken] = takenNames;
  if (taken !== undefined) {
    const message = `nothing was changed: the name ${taken} of the sample is already in use`;
    throw new FlagmeterError('sample-names', message);
  }
  if (isBeside || features + applications === 0) return;
  throw new FlagmeterError(
    'real-data',
    `nothing was changed: flagmeter already holds ${amountOf(features, 'feature')} and ${amountOf(applications, 'application')}. The sample would appear beside them in every list and sum. This makes it anyway: flagmeter sample --beside-real-data (with make start: make sample ARGS=--beside-real-data)`,
  );
}

const MADE = `A sample was made: a shop that does not exist.
  4 projects with 40 features, 6 applications and 35 days of evaluations in 3 environments
  rollouts with their events, 2 experiments, 2 open change requests
  4 impact metrics, and 6 relays, which fall silent in half an hour
Clean-up begins with checkout-guest-mode. Look also at home-recommendations (it has fallen), search-legacy-index (silent)
and checkout-expres-pay (an unknown name). The application sample-mailer fell silent.
checkout-one-page sells more, and product-review-summary causes errors, which its guard notices: see Impact on their pages.
It is marked: applications begin with "sample-", projects are named "(sample)". It gets no new evaluations, so make it again tomorrow.
Remove it: flagmeter sample --remove (with make start: make sample-remove)`;

function already({ madeAt }: StoredSample): string {
  const minute = new Date(madeAt).toISOString().slice(0, 16).replace('T', ' ');
  return `There is a sample already, made ${minute} UTC. Nothing was changed.
It gets no new evaluations. To have one that ends now: flagmeter sample --remove, then flagmeter sample`;
}
