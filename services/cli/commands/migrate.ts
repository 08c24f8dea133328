import { Command } from 'commander';
import { reachEngines, setUp } from '#tooling/operations';
import type { Config, Log } from '#base/runtime';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createMigrateCommand({ log, readConfig }: Environment): Command {
  return new Command().action(async () => {
    const config = readConfig();
    await reachEngines(config, ['Postgres', 'ClickHouse', 'Kafka'], log);
    await setUp(config, log);
    console.log('Tables, views, topics and initial tokens are up to date.');
  });
}
