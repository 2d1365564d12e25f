// Reads host names from standard input on several goroutines and prints those that are blocked.
//
//	check FILTER [LIST] < hosts
//
// With the list that the filter was built from, it compares every answer with it.
// Exit codes: 0 all is well; 1 a wrong answer; 2 an error.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"example.org/anther-check/anther"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: check FILTER [LIST] < hosts")
		os.Exit(2)
	}
	code, err := run(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
	}
	os.Exit(code)
}

func run(path string, list []string) (int, error) {
	filter, err := anther.Open(path)
	if err != nil {
		return 2, err
	}
	defer filter.Close()
	rate, err := filter.Rate()
	if err != nil {
		return 2, err
	}
	truth := map[string]bool{}
	for _, name := range list {
		file, err := os.Open(name)
		if err != nil {
			return 2, err
		}
		for _, host := range lines(file) {
			truth[normal(host)] = true
		}
		file.Close()
	}

	hosts := lines(os.Stdin)
	blocked := make([]bool, len(hosts))
	failed := make([]error, 4)
	var group sync.WaitGroup
	for worker := range failed {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			for at := worker; at < len(hosts); at += len(failed) {
				found, err := filter.Contains([]byte(hosts[at]))
				if err != nil && !errors.Is(err, anther.ErrKey) {
					failed[worker] = err
					return
				}
				// What is no domain equals no entry of the list.
				blocked[at] = found && err == nil
			}
		}(worker)
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return 2, err
		}
	}

	absent, maybes, misses := 0, 0, 0
	for at, host := range hosts {
		if blocked[at] {
			fmt.Println(host)
		}
		switch listed := truth[normal(host)]; {
		case listed && !blocked[at]:
			misses++
		case !listed:
			absent++
			if blocked[at] {
				maybes++
			}
		}
	}
	if len(list) == 0 {
		return 0, nil
	}
	fmt.Fprintf(os.Stderr, "check: %d of %d absent hosts were false positives, %d false negatives\n",
		maybes, absent, misses)
	if misses > 0 || float64(maybes) > 2*rate*float64(absent)+10 {
		return 1, nil
	}
	return 0, nil
}

func normal(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

func lines(reader io.Reader) []string {
	var all []string
	for scanner := bufio.NewScanner(reader); scanner.Scan(); {
		all = append(all, scanner.Text())
	}
	return all
}
