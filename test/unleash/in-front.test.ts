import { describeNightly, isNight } from '../support/nightly.ts';
import { testBodies } from './in-front/bodies.ts';
import { testCatalogue } from './in-front/catalogue.ts';
import { testExamples } from './in-front/examples.ts';
import { tellFaults } from './in-front/faults.ts';
import { type Front, openFront } from './in-front/front.ts';
import { testHistory } from './in-front/history.ts';
import { testLanguages } from './in-front/languages.ts';
import { testSdks } from './in-front/sdks.ts';
import { testTokens, testTokensWhileAway } from './in-front/tokens.ts';

/** These share an Unleash, because it takes 7 s of CPU to start. The first needs it empty. */
describe('flagmeter in front of a real Unleash', () => {
  let front: Front;
  before(async () => {
    front = await openFront();
  });

  describe('the catalogue of Unleash', () => {
    testCatalogue(() => front);
  });

  describe('the examples', () => {
    testExamples(() => front);
  });

  describe('an SDK that knows only the address of flagmeter', () => {
    testSdks(() => front);
  });

  describe('an SDK with evaluations and without', () => {
    testLanguages(() => front);
  });

  describe('the history of Unleash', () => {
    testHistory(() => front);
  });

  describe('the tokens of Unleash', () => {
    testTokens(() => front);
  });

  describe('faults under load', () => {
    tellFaults(() => front);
  });

  describeNightly('the tokens of an Unleash that is away', () => {
    testTokensWhileAway(() => front);
  });

  if (!isNight())
    describe('a body of each kind', () => {
      testBodies(() => front.unleash);
    });
});
