/**
 * The topic name under which `blocks` stores the imported history of Unleash: a partition for each import, an offset for each
 * message. Kafka does not allow such a name, so the worker and the search for gaps never read these rows.
 */
export const HISTORY_TOPIC = 'history/unleash';

/** The same for the sample. The epoch is the second at which it was made. */
export const SAMPLE_TOPIC = 'sample/shop';
