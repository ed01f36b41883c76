import { createElement, type FunctionComponent, type SVGProps } from 'react';

interface IconData {
  name: string;
  node: readonly [element: string, attributes: Record<string, string>][];
}

/**
 * Makes a component of an icon's drawing. Replaces the function of that name in lucide-react, whose
 * icons have more options than this app uses: its code was two percent of the public page's script.
 */
export default function createLucideIcon({
  name,
  node,
}: IconData): FunctionComponent<SVGProps<SVGSVGElement>> {
  const children = node.map(([element, attributes]) => createElement(element, attributes));
  return function Icon({ className = '', ...props }) {
    return createElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        width: 24,
        height: 24,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        className: `lucide-${name} ${className}`,
        ...props,
      },
      children,
    );
  };
}
