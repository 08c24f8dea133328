import { expect } from 'chai';
import { createForms } from '../../../../services/console/state/app/forms.ts';
import { createRouter } from '../../../../services/console/state/app/router.ts';

/** What the router uses of a browser. As there, the place has changed before the page hears of it. */
function aWindow(hash: string) {
  const events = new EventTarget();
  const location = { hash };
  const replaceState = (_data: unknown, _unused: string, url: string): void => {
    location.hash = url;
  };
  return {
    location,
    history: { replaceState, pushState: replaceState },
    addEventListener: events.addEventListener.bind(events),
    hear: () => events.dispatchEvent(new Event('hashchange')),
  };
}

describe('the router of the console', () => {
  function openAt(hash: string) {
    const browser = aWindow(hash);
    const forms = createForms(browser);
    return { browser, forms, router: createRouter(browser as unknown as Window, forms) }; // what it uses
  }

  it('goes to the page of a link if a control is used before the page has changed', () => {
    const { browser, router } = openAt('#/features?window=7d');
    browser.location.hash = '#/applications?q=shop';
    router.change({ window: '1h' });
    browser.hear();
    expect(browser.location.hash).to.equal('#/applications?q=shop&window=1h');
    expect(router.route.value).to.deep.equal({
      parts: ['applications'],
      query: { q: 'shop', window: '1h' },
    });
    expect(router.hasMoved()).to.equal(true);
  });

  it('asks before it leaves a touched form, although a control is used before the page has changed', () => {
    const { browser, forms, router } = openAt('#/features/cart');
    forms.hold('dialog');
    browser.location.hash = '#/applications';
    router.change({ window: '1h' });
    browser.hear();
    expect(browser.location.hash).to.equal('#/features/cart?window=1h');
    expect(router.route.value.parts).to.deep.equal(['features', 'cart']);
    expect(router.hasMoved()).to.equal(false);
    expect(forms.question.value).to.be.a('function');
  });

  it('keeps the time window in links to pages and to lists with filters', () => {
    const { router } = openAt('#/features/cart?window=7d&environment=staging');
    expect(router.linkTo('applications', 'a/b')).to.equal('#/applications/a%2Fb?window=7d');
    expect(router.listOf('features', { owner: 'team 7' })).to.equal('#/features?owner=team+7&window=7d');
  });

  it('leaves a link that signs in to the one who reads it', () => {
    const { browser, router } = openAt('#/features');
    browser.location.hash = '#token=secret';
    router.change({ window: '1h' });
    expect(browser.location.hash).to.equal('#token=secret');
  });
});
