import { BookOpen } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { buttonVariants, type ButtonVariants } from './button-variants';

interface GuideLinkProps {
  /** The guide, and a place in it after `#`. */
  guide: string;
  /**
   * What the guide is about. It is the description of the link: as a part of the name it would
   * repeat names of the navigation.
   */
  topic: string;
  size?: ButtonVariants['size'];
}

/** A link to the guide about a card or a screen. */
export function GuideLink({ guide, topic, size = 'sm' }: GuideLinkProps) {
  return (
    <Link
      to={paths.guide(guide)}
      aria-description={`About ${topic}`}
      className={buttonVariants({ variant: 'ghost', size })}
    >
      <BookOpen aria-hidden /> Guide
    </Link>
  );
}
