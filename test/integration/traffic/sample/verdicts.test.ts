import { expect } from 'chai';
import { dayOf, startOfDayMs } from '#base/schema';
import { fillSample } from '../../../../services/cli/sample/index.ts';
import { insertDocument } from '../../../../services/admin/doors/exchange/index.ts';
import { appVerdictsAt, featureVerdictsAt } from '../../../support/builders/history.ts';
import { describeNightly } from '../../../support/nightly.ts';
import { sharedWorld } from '../../../support/world.ts';

const TODAY = startOfDayMs(dayOf(Date.now()));
const MINUTE_MS = 60_000;

/** Moments of different days of the week, near the ends of a day and of an hour, none of them in the future. */
const MOMENTS = {
  'just after midnight': TODAY + 30_000 - 86_400_000,
  'just before midnight': TODAY - 30_000 - 2 * 86_400_000,
  'in the early morning': TODAY + 305 * MINUTE_MS - 3 * 86_400_000,
  'at noon': TODAY + 725 * MINUTE_MS - 5 * 86_400_000,
};

const IN_PRODUCTION = [
  ['always_off', 'search-voice-input', ''],
  ['always_on', 'checkout-guest-mode', ''],
  ['always_on', 'checkout-tax-rounding', ''],
  ['always_on', 'search-synonyms', ''],
  ['archive_evidence', 'checkout-guest-mode', ''],
  ['archive_evidence', 'checkout-tax-rounding', ''],
  ['archive_evidence', 'search-legacy-index', ''],
  ['archive_evidence', 'search-synonyms', ''],
  ['archive_evidence', 'search-voice-input', ''],
  ['called_while_archived', 'checkout-old-basket', ''],
  ['called_while_off', 'promo-newsletter-popup', ''],
  ['cliff', 'home-recommendations', ''],
  ['harmful', 'product-review-summary', 'request_errors'],
  ['new', 'account-avatar-upload', ''],
  ['new', 'search-semantic', ''],
  ['silent', 'search-legacy-index', ''],
  ['unknown', 'checkout-expres-pay', 'checkout-express-pay'],
];

describe('The verdicts on the sample', () => {
  for (const [when, madeAt] of Object.entries(MOMENTS)) {
    const describeMoment = when === 'just after midnight' ? describe : describeNightly;
    describeMoment(`made ${when}`, () => {
      const world = sharedWorld();

      before(() => fillSample(world, { madeAt, insertDocument, onProgress: () => undefined }));
      after(() => world.dispose());

      it('are those of its story', async () => {
        const found = await world.query(
          `select verdict, feature_name, subject
           from ${featureVerdictsAt(madeAt / 1000)}
           where environment = 'production'
           order by all`,
        );
        expect(found.map(Object.values)).to.deep.equal(IN_PRODUCTION);
      });

      it('say elsewhere only that two features are new', async () => {
        const found = await world.query(
          `select distinct verdict, feature_name
           from ${featureVerdictsAt(madeAt / 1000)}
           where environment != 'production'
           order by all`,
        );
        expect(found.map(Object.values)).to.deep.equal([
          ['new', 'account-avatar-upload'],
          ['new', 'search-semantic'],
        ]);
      });

      it('name the application that fell silent, and the one with two versions of its SDK', async () => {
        const found = await world.query(
          `select verdict, app_name, environment from ${appVerdictsAt(madeAt / 1000)} order by all`,
        );
        expect(found.map(Object.values)).to.deep.equal([
          ['mixed_sdk_versions', 'sample-android', 'production'],
          ['silent_instance', 'sample-mailer', 'production'],
        ]);
      });
    });
  }
});
