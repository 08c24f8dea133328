type Props<T extends string> = {
  readonly name?: string;
  readonly chosen: T;
  readonly choices: readonly T[];
  /** What the reader sees instead of a choice. */
  readonly titles?: Readonly<Record<string, string>>;
  readonly onChange?: (chosen: T) => void;
};

/** A list to choose from. What is chosen is always in it. */
export function Choices<T extends string>({ name, chosen, choices, titles = {}, onChange }: Props<T>) {
  const all = [...new Set([chosen, ...choices])];
  const choose = (value: string): void => {
    const choice = all.find((one) => one === value);
    if (choice !== undefined) onChange?.(choice);
  };
  return (
    <select
      name={name}
      onChange={(event) => {
        choose(event.currentTarget.value);
      }}
    >
      {all.map((choice) => (
        <option key={choice} value={choice} selected={choice === chosen}>
          {titles[choice] ?? choice}
        </option>
      ))}
    </select>
  );
}

export const STICKINESS = ['default', 'userId', 'sessionId', 'random'];
