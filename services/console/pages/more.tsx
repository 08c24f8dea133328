import type { ComponentChildren } from 'preact';
import { type Entry, type PagePath, ROUTES } from './app/entries.ts';
import { Access } from './people/access/access.tsx';
import { Accounting } from './usage/accounting.tsx';
import { Application } from './usage/applications/application.tsx';
import { Applications } from './usage/applications/applications.tsx';
import { Archived } from './flags/archived/archived.tsx';
import { ChangeRequests } from './flags/change-requests/change-requests.tsx';
import { ChangeRequest } from './flags/change-requests/change-request.tsx';
import { CleanUp } from './advice/clean-up/clean-up.tsx';
import { Events } from './record/events/events.tsx';
import { Feature } from './flags/feature/feature.tsx';
import { Feedback } from './flags/feedback.tsx';
import { ImpactMetrics } from './usage/impact-metrics/impact-metrics.tsx';
import { Notifications } from './advice/notifications/notifications.tsx';
import { Projects } from './flags/projects/projects.tsx';
import { Refused } from './usage/refused/refused.tsx';
import { Relays } from './usage/relays/relays.tsx';
import { Strategies } from './flags/strategies/strategies.tsx';
import { Tokens } from './people/tokens/tokens.tsx';
import { Users } from './people/users/users.tsx';
import { Heading } from '../ui/heading.tsx';

export { NewFeatureDialog } from './flags/features/new-feature.tsx';

export { NoticeLine } from './app/notice.tsx';
export { OverPage } from './app/over-page.tsx';
export { SignIn } from './people/sign-in.tsx';

type Page = (name?: string, id?: string) => ComponentChildren;

/** The page of each path. The overview and the list of features, which are opened first, are in the first script. */
const PAGES: Readonly<Record<Exclude<PagePath, ''>, Page>> = {
  features: (name = '') => <Feature key={name} name={name} />,
  archived: () => <Archived />,
  projects: () => <Projects />,
  'clean-up': () => <CleanUp />,
  'change-requests': (name, id) =>
    name === undefined || id === undefined ? (
      <ChangeRequests />
    ) : (
      <ChangeRequest key={`${name}/${id}`} project={name} id={id} />
    ),
  events: () => <Events />,
  applications: (name) => (name === undefined ? <Applications /> : <Application key={name} name={name} />),
  'impact-metrics': () => <ImpactMetrics />,
  relays: () => <Relays />,
  strategies: () => <Strategies />,
  feedback: () => <Feedback />,
  notifications: () => <Notifications />,
  tokens: () => <Tokens />,
  access: () => <Access />,
  users: () => <Users />,
  refused: () => <Refused />,
  accounting: () => <Accounting />,
};

/** All pages that are never opened first. A separate script keeps the first page small. */
export function pageOf([page = '', ...names]: readonly string[]): ComponentChildren {
  const [name, id] = names;
  return isPage(page, names.length) ? PAGES[page](name, id) : <NoSuchPage />;
}

/** A page is about nothing, or about as much as its route says. */
function isPage(page: string, names: number): page is keyof typeof PAGES {
  const routes: readonly Pick<Entry, 'path' | 'below'>[] = ROUTES;
  const route = routes.find(({ path }) => path === page);
  return page !== '' && route !== undefined && [0, route.below?.length].includes(names);
}

function NoSuchPage() {
  return (
    <>
      <Heading page="There is no such page" answer={undefined} />
      <p>It was moved, or the address is not whole.</p>
      <p>
        <a href="#/">Overview</a>
      </p>
    </>
  );
}
