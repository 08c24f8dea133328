import { useMayReadAll } from '../../../../api/caller.ts';
import { useCodeRepositories } from '../../../../api/advice/code-references.ts';
import type { Resource } from '../../../../api/requests/resource.ts';
import type { BranchOfFeature, CodePlace, FeatureReferences } from '../../../../types.ts';
import { say } from '#base/words';
import {
  leftOutSentence,
  noPlacesSentence,
  otherPlacesWords,
  placesSentence,
} from '../../../../state/sentences/index.ts';
import { Age, Loaded } from '../../../../ui/loaded.tsx';
import { Empty, Name, Section } from '../../../../ui/parts.tsx';
import { SHORT, addressOf, callsFirst, countNames, countOf, leftOutOf } from './places.ts';

type Props = { readonly references: Resource<FeatureReferences> };

/** The lines of code that name a feature. */
export function FeatureCode({ references }: Props) {
  return (
    <Section title="Code">
      <Loaded of={references} lines={2}>
        {(found) =>
          found.total === 0 ? (
            <Absence />
          ) : (
            <>
              <p>{placesSentence(countOf(found))}</p>
              <ul class="items">
                {found.repositories.map((branch) => (
                  <Branch key={branch.id} of={branch} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Which repositories were searched is for readers of the installation. */
function Absence() {
  const repositories = useCodeRepositories();
  if (useMayReadAll() === false) return <Empty>No pushed scan names it.</Empty>;
  return (
    <Loaded of={repositories} lines={2}>
      {({ repositories: searched }) => (
        <Empty>
          {noPlacesSentence(countNames(searched))} {leftOutSentence(leftOutOf(searched))}{' '}
          <code>npx flagmeter scan --push</code> in a repository sends what it finds;{' '}
          <code>docs/use/code-references.md</code> says how.
        </Empty>
      )}
    </Loaded>
  );
}

function Branch({ of }: { readonly of: BranchOfFeature }) {
  const { repository, branch, commit, pushedAt } = of;
  const leftOut = leftOutSentence(of.leftOut);
  const places = callsFirst(of.places);
  const others = places.slice(SHORT);
  return (
    <li>
      <Name>{repository}</Name> <span class="muted">branch</span> <Name>{branch}</Name>{' '}
      <span class="muted">commit</span> <code title={commit}>{commit.slice(0, 8)}</code>{' '}
      <span class="muted">
        pushed <Age since={Date.parse(pushedAt)} /> ago
      </span>
      <Places of={of} places={places.slice(0, SHORT)} />
      {others.length > 0 && (
        <details>
          <summary>{otherPlacesWords(others.length)}</summary>
          <Places of={of} places={others} />
        </details>
      )}
      {leftOut !== '' && <p>{leftOut}</p>}
    </li>
  );
}

type PlacesProps = { readonly of: BranchOfFeature; readonly places: readonly CodePlace[] };

function Places({ of, places }: PlacesProps) {
  return (
    <ul>
      {places.map((place) => (
        <li key={`${place.path}:${place.line}`}>
          <PlaceLink address={addressOf(place, of)} name={say`${place.path}:${place.line}`} />
          {place.kind === 'mention' && <span class="muted"> mention</span>}
        </li>
      ))}
    </ul>
  );
}

type PlaceProps = { readonly address: string | undefined; readonly name: string };

function PlaceLink({ address, name }: PlaceProps) {
  if (address === undefined) return <Name>{name}</Name>;
  return (
    <a href={address} rel="noopener noreferrer">
      <Name>{name}</Name>
    </a>
  );
}
