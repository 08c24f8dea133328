import { patchCommits, say } from './patches.ts';

/** Disables intents: commits the offsets without their metadata. */
patchCommits((committed, commit) => {
  const isIntent = committed.topics.some(({ partitions }) =>
    partitions.some(({ metadata }) => metadata !== ''),
  );
  if (!isIntent) return commit(committed);
  say('dropped an intent');
  return Promise.resolve();
});
