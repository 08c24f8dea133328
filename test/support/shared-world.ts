/**
 * Creates in a hook what all tests of a `describe` share, such as a world: until then it is empty. The root hooks dispose of worlds
 * after the file.
 */
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
