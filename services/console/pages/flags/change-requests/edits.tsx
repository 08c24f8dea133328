import type { Differences } from '../../../types.ts';
import { linesOf } from './difference.ts';
import { Name } from '../../../ui/parts.tsx';
import { Sides } from './differences.tsx';

/** What edits have changed in a request, each change as it was read beside what it is now. */
export function Edits({ of: { since, title, changes } }: { readonly of: Differences }) {
  if (title === undefined && changes.length === 0)
    return <p>The edits since version {since} cancel each other out.</p>;
  return (
    <table class="difference">
      <caption class="visually-hidden">Edits since version {since}</caption>
      <thead>
        <tr>
          <th scope="col">Edited</th>
          <th scope="col">You read</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        {title !== undefined && (
          <Edit name="Title" before={listOf(title.before)} after={listOf(title.after)} />
        )}
        {changes.map(({ id, feature, before, after }) => (
          <Edit key={id} name={feature ?? 'Segment'} before={linesOf(before)} after={linesOf(after)} />
        ))}
      </tbody>
    </table>
  );
}

function listOf(title: string | null): readonly string[] {
  return title === null ? [] : [title];
}

type EditProps = {
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

function Edit({ name, before, after }: EditProps) {
  return (
    <tr>
      <th scope="row">
        <Name>{name}</Name>
      </th>
      <Sides before={before} after={after} />
    </tr>
  );
}
