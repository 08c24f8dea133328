/** Creates the world of all tests of a `describe`, which is empty until then, in a hook. The root hooks dispose of it after the file. */
export function shared<Settings extends unknown[], W extends object>(
  create: (...settings: Settings) => Promise<W>,
): (...settings: Settings) => W {
  return (...settings) => {
    const world = {};
    before(async () => {
      Object.assign(world, await create(...settings));
    });
    return world as W; // no test runs before the hook
  };
}
