import { object } from 'yup';
import type { ApiClient, ApiResponse } from '@/api/client';
import { isNotFound } from '@/api/error';
import { limits, text } from '@/api/text';
import type { Review } from '@/api/types';

export interface ReviewValues {
  /** Markdown. */
  body: string;
}

export const reviewSchema = object({
  body: text(limits.review).required('Review is required'),
});

export function reviewValues(review: Review | null): ReviewValues {
  return { body: review?.body ?? '' };
}

export const reviewTemplate = `## What happened

## Impact

## Root cause

## What we do
`;

/** Whether a text is empty or, like the template, consists of headings. */
export function hasOnlyHeadings(body: string): boolean {
  return body.split('\n').every((line) => /^ {0,3}#{1,6}(\s|$)|^\s*$/.test(line));
}

/** An absent review, which the server counts as version 0. */
export const noReview: ApiResponse<null> = { data: null, message: null, next: null, etag: '"0"' };

/** Reads the review of an incident; null if there is none. */
export async function readReview(
  api: ApiClient,
  path: string,
): Promise<ApiResponse<Review | null>> {
  try {
    return await api.get<Review>(path);
  } catch (error) {
    if (isNotFound(error)) return noReview;
    throw error;
  }
}
