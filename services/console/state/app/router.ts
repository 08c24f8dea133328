import { type ReadonlySignal, signal } from '@preact/signals';
import type { Forms } from './forms.ts';
import { type Route, formatRoute, parseRoute, tokenIn } from './route.ts';

export type Router = {
  readonly route: ReadonlySignal<Route>;
  /** Whether this tab has gone to another place since it was opened. */
  readonly hasMoved: () => boolean;
  /** Goes to another place. The time window stays. */
  readonly go: (...parts: string[]) => void;
  /** Changes parameters of this place. Typing in a search field leaves no history. */
  readonly change: (query: Readonly<Record<string, string>>) => void;
  /** The link to another place. The time window stays. */
  readonly linkTo: (...parts: string[]) => string;
  /** The link to a list with filters. The time window stays. */
  readonly listOf: (page: string, query: Readonly<Record<string, string>>) => string;
};

/** The URL is the state, so that a sent link shows the same. */
export function createRouter(browser: Window, forms: Pick<Forms, 'leave' | 'isTouched'>): Router {
  const { location, history } = browser;
  const route = signal(parseRoute(location.hash));
  let hasMoved = false;
  const arrive = (): void => {
    const { hash } = location;
    const wanted = parseRoute(hash);
    if (formatRoute(wanted) === formatRoute(route.peek())) return;
    if (!forms.isTouched.peek()) {
      hasMoved = true;
      route.value = wanted;
      return;
    }
    // Back and links to another place: the reader stays here until they have agreed.
    history.pushState(null, '', formatRoute(route.peek()));
    forms.leave(() => {
      location.hash = hash;
    });
  };
  browser.addEventListener('hashchange', arrive);
  const link = (parts: readonly string[], query: Route['query']): string => {
    const { window = '' } = route.value.query;
    return formatRoute({ parts, query: { ...query, window } });
  };
  const linkTo = (...parts: string[]): string => link(parts, {});
  return {
    route,
    hasMoved: () => hasMoved,
    linkTo,
    listOf: (page, query) => link([page], query),
    go(...parts) {
      location.hash = linkTo(...parts);
    },
    change(query) {
      if (tokenIn(location.hash) !== undefined) return;
      // The browser has moved already, but its `hashchange` event comes a moment later.
      arrive();
      const { parts, query: before } = route.value;
      const fragment = formatRoute({ parts, query: { ...before, ...query } });
      history.replaceState(null, '', fragment);
      route.value = parseRoute(fragment);
    },
  };
}
