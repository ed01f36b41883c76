import { cn } from '@/ui/cn';
import { useShownTheme } from '@/ui/theme';
import { shots, type ShotName } from './shots';

interface ProductShotProps {
  name: ShotName;
  alt: string;
  /** It is seen at once, so it is not waited with. */
  eager?: boolean;
  className?: string;
}

/** A picture of the product in the theme of the page. Its place is kept until it has come. */
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
