import type { Permission } from '#base/tokens';
import type { Where } from '../../state/may.ts';
import type { IconName } from '../../ui/icon.tsx';

/** A page of the navigation. */
export type Entry = {
  readonly title: string;
  readonly path: string;
  readonly key: string;
  readonly icon: IconName;
  /** Who lacks it does not see the page. By default it is needed in the whole installation. */
  readonly needs?: Permission;
  readonly where?: Where;
  /** What the pages below it are about, after the path: `features/NAME`. */
  readonly below?: readonly ('feature' | 'application' | 'project' | 'request')[];
  /** Begins the pages that are opened seldom. */
  readonly isFirstOfGroup?: boolean;
};

/** The pages of the navigation. */
export const ENTRIES = [
  { title: 'Overview', path: '', key: 'o', icon: 'overview' },
  { title: 'Features', path: 'features', key: 'f', icon: 'features', below: ['feature'] },
  { title: 'Clean-up', path: 'clean-up', key: 'c', icon: 'cleanUp' },
  {
    title: 'Change requests',
    path: 'change-requests',
    key: 'q',
    icon: 'changeRequests',
    below: ['project', 'request'],
  },
  { title: 'Events', path: 'events', key: 'e', icon: 'events', needs: 'READ_EVENTS', where: 'anywhere' },
  {
    title: 'Applications',
    path: 'applications',
    key: 'a',
    icon: 'applications',
    needs: 'READ',
    below: ['application'],
  },
  { title: 'Impact metrics', path: 'impact-metrics', key: 'i', icon: 'impact', needs: 'READ' },
  { title: 'Relays', path: 'relays', key: 'l', icon: 'relays', needs: 'READ' },
  { title: 'Projects', path: 'projects', key: 'j', icon: 'projects', isFirstOfGroup: true },
  { title: 'Strategies', path: 'strategies', key: 's', icon: 'strategies' },
  { title: 'Feedback', path: 'feedback', key: 'b', icon: 'feedback', needs: 'READ' },
  { title: 'Notifications', path: 'notifications', key: 'm', icon: 'notifications', needs: 'ADMIN' },
  { title: 'Tokens', path: 'tokens', key: 't', icon: 'tokens' },
  { title: 'Access', path: 'access', key: 'p', icon: 'access', needs: 'MANAGE_ACCESS', where: 'anywhere' },
  { title: 'Users', path: 'users', key: 'u', icon: 'users', needs: 'ADMIN' },
  { title: 'Refused', path: 'refused', key: 'r', icon: 'refused', needs: 'READ' },
  { title: 'Accounting', path: 'accounting', key: 'n', icon: 'accounting', needs: 'READ' },
] as const satisfies readonly Entry[];

/** Also the pages that only links lead to. */
export const ROUTES = [
  ...ENTRIES,
  { title: 'Archived flags', path: 'archived' },
] as const satisfies readonly Pick<Entry, 'title' | 'path' | 'below'>[];

/** The first part of the path of a page; empty for the overview. */
export type PagePath = (typeof ROUTES)[number]['path'];

/** The name of the page at this path. */
export function titleOf([path = '']: readonly string[]): string {
  return ROUTES.find((place) => place.path === path)?.title ?? '';
}
