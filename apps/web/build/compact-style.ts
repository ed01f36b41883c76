/** A declaration of a token in a minified style. */
export const declaration = /--([\w-]+): ?([^;{}]*)(?:;|(?=\}))/g;
const emptyRule = /(?<=^|[{}])[^{};]+\{\s*\}/g;

/** Returns a style that says the same in fewer bytes, and the names that its tokens have got. */
export function compactStyle(style: string): { style: string; names: Map<string, string> } {
  const rest = withoutUnusedTokens(withPlainTones(style))
    .replaceAll(', ', ',')
    .replaceAll(';}', '}');
  const tokens = new Set([...rest.matchAll(declaration)].map(([, name = '']) => name));
  const names = new Map([...tokens].map((name, index) => [name, shortName(index)]));
  return { style: renamed(rest, names), names };
}

/** Returns a style with other names for its tokens. */
export function renamed(style: string, names: ReadonlyMap<string, string>): string {
  return style.replace(/--([\w-]+)(?=[:,)])/g, (whole, name: string) => {
    const short = names.get(name);
    return short === undefined ? whole : `--${short}`;
  });
}

/** Removes the declarations of tokens that nothing in a minified style uses. */
export function withoutUnusedTokens(style: string): string {
  const rest = style
    .replace(declaration, (token, name: string) =>
      new RegExp(`var\\(--${name}[,)]`).test(style) ? token : '',
    )
    .replace(emptyRule, '');
  return rest === style ? style : withoutUnusedTokens(rest);
}

/**
 * Writes the colours of each tone where they apply, instead of tokens that name them for
 * both themes.
 */
function withPlainTones(style: string): string {
  const light = tokensIn(/^:root\{([^}]*)\}/.exec(style)?.[1]);
  const dark = tokensIn(/\[data-theme=dark\]\{([^}]*)\}/.exec(style)?.[1]);
  let inDark = '';
  const inLight = style.replace(
    /(\[data-tone=\w+\])\{([^}]*)\}/g,
    (_, tone: string, all: string) => {
      const references = [...all.matchAll(/--([\w-]+):var\(--([\w-]+)\)/g)];
      // One drawing has the icons of every tone, so the colours are named by tone.
      const [solid, own] = [true, false].map((isSolid) =>
        references.filter(([, name]) => (name === 'solid') === isSolid),
      );
      const written = (tokens: ReadonlyMap<string, string>) =>
        own?.map(([, name = '', token = '']) => `--${name}:${tokens.get(token) ?? ''}`) ?? [];
      inDark += `${tone}{${written(dark).join(';')}}`;
      return `${tone}{${[...written(light), ...(solid?.map(([text]) => text) ?? [])].join(';')}}`;
    },
  );
  return inLight.replace(/\[data-theme=dark\]\{[^}]*/, (all) => `${all};${inDark}`);
}

function tokensIn(declarations = ''): Map<string, string> {
  const found = `${declarations};`.matchAll(declaration);
  return new Map([...found].map(([, name = '', value = '']) => [name, value]));
}

/** Returns "a" to "z", then "aa" and so on. */
function shortName(index: number): string {
  const letter = String.fromCharCode(97 + (index % 26));
  return index < 26 ? letter : shortName(Math.floor(index / 26) - 1) + letter;
}
