import { describeNightly } from '../support/nightly.ts';
import { type OwnUnleash, ownUnleash } from '../support/stack/engines/unleash.ts';
import { CLIENT_TOKEN } from '../support/world.ts';
import { testBodies } from './in-front/bodies.ts';

/** With more bodies than by day, when in-front.test.ts shares its Unleash with them. */
describeNightly('a body of each kind', () => {
  let unleash: OwnUnleash;
  before(async () => {
    unleash = await ownUnleash({ production: CLIENT_TOKEN });
  });
  after(() => unleash.dispose());

  testBodies(() => unleash);
});
