import { Fact } from '../facts.tsx';
import { type OpenRequests, useOpenRequests } from './open-requests.ts';
import type { Resource } from '../../../../api/requests/resource.ts';
import { useConsole } from '../../../../console.ts';
import type { Usage } from '../../../../state/usage.ts';
import { applicationsIn } from '../../../../state/usage.ts';
import type { Feature, FeatureReferences } from '../../../../types.ts';
import { placesWords } from '../../../../state/sentences/index.ts';
import { Name } from '../../../../ui/parts.tsx';

/** More names than these make no line. */
const NAMED = 5;

type Props = {
  readonly feature: Feature;
  /** In the window of the page and its environment. */
  readonly byApplication: Resource<Usage>;
  readonly code: FeatureReferences | undefined;
};

/** Whom a change reaches: who evaluates the feature, which code names it, and who asks for a change already. */
export function WhatChanges({ feature, byApplication, code }: Props) {
  const usage = byApplication.data;
  const open = useOpenRequests(feature).data;
  return (
    <ul class="facts" aria-label="What a change reaches">
      {usage !== undefined && (
        <Fact label="evaluated by">
          <Applications of={applicationsIn(usage)} />
        </Fact>
      )}
      {code !== undefined && code.total > 0 && <Fact label="named in">{placesWords(code.total)}</Fact>}
      {open !== undefined && (open.requests.length > 0 || open.hasOlder) && (
        <Fact label="asked for by">
          <Requests of={open} />
        </Fact>
      )}
    </ul>
  );
}

function Applications({ of: { names, hasOthers } }: { readonly of: ReturnType<typeof applicationsIn> }) {
  const { router } = useConsole();
  if (names.length === 0 && !hasOthers) return <>nobody in this time</>;
  const left = names.length - NAMED;
  return (
    <>
      {names.slice(0, NAMED).map((name, at) => (
        <>
          {at > 0 && ', '}
          <a key={name} href={router.linkTo('applications', name)}>
            <Name>{name}</Name>
          </a>
        </>
      ))}
      {(left > 0 || hasOthers) && <> and others</>}
    </>
  );
}

function Requests({ of: { requests, hasOlder } }: { readonly of: OpenRequests }) {
  const { router } = useConsole();
  if (requests.length === 0) return <>none of the newest change requests; older ones may be open</>;
  return (
    <>
      {requests.slice(0, NAMED).map(({ id, project, state }, at) => (
        <>
          {at > 0 && ', '}
          <a key={id} href={router.linkTo('change-requests', project, String(id))}>
            change request {id}
          </a>{' '}
          ({state})
        </>
      ))}
      {(requests.length > NAMED || hasOlder) && ' and others'}
    </>
  );
}
