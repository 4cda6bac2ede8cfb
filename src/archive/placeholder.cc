// archive
