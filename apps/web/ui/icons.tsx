import type { LucideIcon } from 'lucide-react';

/** The icons of the page, from one set. Only these are in the bundle. */
export {
  Activity,
  BookOpen,
  ChevronDown,
  CircleHelp,
  Ellipsis,
  FileText,
  FlaskConical,
  House,
  ListChecks,
  Menu as MenuIcon,
  Play,
  Plus,
  Scale,
  Search,
  ServerCog,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Users,
  X,
} from 'lucide-react';

/** An icon of 16 px. It says nothing to screen readers: the words beside it do. */
export const Icon = ({ of: Drawn, className }: { of: LucideIcon; className?: string }) => (
  <Drawn size={16} strokeWidth={1.75} aria-hidden="true" className={['icon', className].filter(Boolean).join(' ')} />
);
