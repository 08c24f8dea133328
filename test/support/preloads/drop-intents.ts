import { patchCommits, say } from './patches.ts';

/** The intent commit disabled: offsets are committed, what goes with them is not. */
patchCommits((committed, commit) => {
  const isIntent = committed.topics.some(({ partitions }) =>
    partitions.some(({ metadata }) => metadata !== ''),
  );
  if (!isIntent) return commit(committed);
  say('dropped an intent');
  return Promise.resolve();
});
