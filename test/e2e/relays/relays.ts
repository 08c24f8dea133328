import { expect } from 'chai';
import { createRandom } from '#tooling/traffic';
import { type Relay, createRelay, sumMetrics } from '../../../tools/relay/index.ts';
import { CLIENT_TOKEN, type World } from '../../support/world.ts';

type RelayOptions = Parameters<typeof createRelay>[0];

let seed = 0;

/** A relay with its own id; by default with the token of production. */
export function aRelay(url: string, options: Partial<RelayOptions> = {}): Relay {
  seed += 1;
  return createRelay({ url, tokens: { production: CLIENT_TOKEN }, random: createRandom(seed), ...options });
}

/** Counts of one application, a line for each hour, environment and feature. */
type Lines = readonly string[];

/** Fails unless an application's counts are exactly those that the relays know to be stored. */
export async function expectCounted(world: World, appName: string, relays: readonly Relay[]): Promise<void> {
  await world.settled();
  const acknowledged = relays.flatMap(({ ledger }) => ledger.metricsOf('acknowledged'));
  expect(await countedOf(world, appName)).to.deep.equal(
    linesOf(acknowledged.filter((metric) => metric.appName === appName)),
  );
}

function linesOf(metrics: Parameters<typeof sumMetrics>[0]): Lines {
  const lines = sumMetrics(metrics).map(({ hour, environment, featureName, yes, no, reports, variants }) => {
    const shares = [...variants].map(([variant, count]) => `${variant} ${count}`).sort();
    return `${hour} ${environment} ${featureName}: ${yes}/${no}/${reports} ${shares.join(', ')}`;
  });
  return lines.sort();
}

type Row = { readonly line: string };

async function countedOf(world: World, appName: string): Promise<Lines> {
  const rows = await world.query<Row>(
    `with shares as (
       select hour, environment, feature_name, arraySort(groupArray(concat(variant, ' ', toString(count)))) as list
       from variants_by_hour
       where app_name = {appName:String}
       group by hour, environment, feature_name
     )
     select concat(
       toString(intDiv(toUnixTimestamp(u.hour), 3600)), ' ', u.environment, ' ', u.feature_name, ': ',
       toString(u.yes), '/', toString(u.no), '/', toString(u.reports), ' ', arrayStringConcat(s.list, ', ')
     ) as line
     from usage_by_hour as u
     left join shares as s
       on s.hour = u.hour and s.environment = u.environment and s.feature_name = u.feature_name
     where u.app_name = {appName:String}`,
    { appName },
  );
  return rows.map(({ line }) => line).sort();
}
