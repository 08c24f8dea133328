/** The names that the admin API accepts for features; a test compares it with the API. */
const ACCEPTED = /^(?!\.{1,2}$)[A-Za-z0-9_.~-]{1,100}$/;

/** Why no feature has this name, in a sentence. */
export function whyNoFeature(name: string): string {
  return ACCEPTED.test(name)
    ? 'There is no feature with this name, but applications may evaluate it.'
    : 'No feature can have this name, but applications may evaluate it. Names of features have 1 to 100 letters, digits and the characters _ . ~ -, and are not . or .. alone.';
}
