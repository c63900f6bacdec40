/** Which rows a numbered page shows, and how many pages there are. */
export interface PageRequest {
  page: number;
  pageSize: number;
}

export function pageOffset({ page, pageSize }: PageRequest): number {
  return (page - 1) * pageSize;
}

export function pageSummary({ page, pageSize }: PageRequest, total: number) {
  return { total, page, pageSize, totalPages: Math.ceil(total / pageSize) };
}
