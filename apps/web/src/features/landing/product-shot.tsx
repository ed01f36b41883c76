import { cn } from '@/ui/cn';
import { useShownTheme } from '@/ui/use-shown-theme';
import componentsDark from './shots/components-dark.webp';
import componentsLight from './shots/components-light.webp';
import editIncidentDark from './shots/edit-incident-dark.webp';
import editIncidentLight from './shots/edit-incident-light.webp';
import statusPageDark from './shots/status-page-dark.webp';
import statusPageLight from './shots/status-page-light.webp';
import statusPagePhoneDark from './shots/status-page-phone-dark.webp';
import statusPagePhoneLight from './shots/status-page-phone-light.webp';

const desktop = { width: 1280, height: 800 };
const screen = { width: 1024, height: 800 };
const phone = { width: 390, height: 760 };

/** Pictures of the running product, taken by `./just screenshots`. */
const shots = {
  'status-page': { ...desktop, dark: statusPageDark, light: statusPageLight },
  'edit-incident': { ...screen, dark: editIncidentDark, light: editIncidentLight },
  components: { ...screen, dark: componentsDark, light: componentsLight },
  'status-page-phone': { ...phone, dark: statusPagePhoneDark, light: statusPagePhoneLight },
} as const;

type ShotName = keyof typeof shots;

interface ProductShotProps {
  name: ShotName;
  alt: string;
  /** Loads at once, because it is in the first view. */
  eager?: boolean;
  className?: string;
}

/** A picture of the product in the theme of the page. Its size is reserved before it loads. */
export function ProductShot({ name, alt, eager = false, className }: ProductShotProps) {
  const theme = useShownTheme();
  const { width, height, dark, light } = shots[name];
  return (
    <img
      src={theme === 'dark' ? dark : light}
      alt={alt}
      width={width}
      height={height}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      {...(eager && { fetchPriority: 'high' as const })}
      className={cn(
        'h-auto w-full max-w-full rounded-xl border border-line bg-surface shadow-high',
        className,
      )}
    />
  );
}
