import { patchSends, say } from './patches.ts';

/** Breaks the rule "a broker that is no longer the leader may have stored it": its answer becomes one before the append. */
patchSends(async (record, send) => {
  try {
    return await send(record);
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if ('type' in cause && cause.type === 'NOT_LEADER_FOR_PARTITION') {
        cause.type = 'NOT_ENOUGH_REPLICAS';
        say('took a lost leader for a rejection');
      }
    }
    throw error;
  }
});
