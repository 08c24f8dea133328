type Variables = Readonly<Record<string, string | undefined>>;

/** An environment with other settings. Their NAME_FILE is emptied, because a setting and its file exclude each other. */
export function overrideSettings(env: Variables, settings: Variables): Variables {
  const files = Object.keys(settings).map((name) => [`${name}_FILE`, ''] as const);
  return { ...env, ...settings, ...Object.fromEntries(files) };
}
